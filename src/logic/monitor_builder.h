// The flat form of monitors (knowledge/compiled.h) while it is built: tables that grow.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/compiled.h"
#include "logic/property.h"

namespace sooth::logic {

struct MonitorBuilder {
  std::vector<std::string> locals, blocks;
  std::vector<knowledge::RoleRow> roles;
  std::map<std::uint32_t, knowledge::ClassRow> classes; // by number; kAllThreads is that of all threads
  std::vector<knowledge::Instruction> code;
  std::vector<knowledge::NodeRow> nodes;
  std::vector<knowledge::SectionRow> sections;
  std::vector<knowledge::MonitorRow> monitors;
  std::vector<knowledge::PartRow> parts;
  std::uint32_t registers = 0;
  bool all_memory = false;
  std::vector<std::string> libraries; // as Symbols has them

  // The offset of a string in the table of texts.
  std::uint32_t text(std::string_view string);
  std::string_view text_at(std::uint32_t offset) const { return text_.data() + offset; }

  // The whole block. `variables` are those that operands of Load and Accessed count; in the block,
  // the loaded ones come first.
  std::vector<std::uint64_t> finish(const std::vector<Variable>& variables);

private:
  std::string text_ = std::string(1, '\0');
  std::map<std::string, std::uint32_t, std::less<>> offsets_;
};

} // namespace sooth::logic
