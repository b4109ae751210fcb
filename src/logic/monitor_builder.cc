#include "logic/monitor_builder.h"

#include <algorithm>
#include <cstring>

#include "trace/program/program.h"

namespace sooth::logic {
namespace {

using knowledge::Header;
using knowledge::Op;
using knowledge::Table;

class Block {
public:
  template <typename Row>
  Table add(const std::vector<Row>& rows) {
    return add_bytes(rows.data(), rows.size() * sizeof(Row), rows.size());
  }
  Table add_bytes(const void* from, std::size_t bytes, std::size_t count) {
    const Table table{static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(count)};
    bytes_.resize((bytes_.size() + bytes + 7) / 8 * 8, 0);
    if (bytes != 0) std::memcpy(bytes_.data() + table.offset, from, bytes);
    return table;
  }
  std::vector<std::uint64_t> words(Header header) {
    header.bytes = static_cast<std::uint32_t>(bytes_.size());
    std::memcpy(bytes_.data(), &header, sizeof header);
    std::vector<std::uint64_t> out(bytes_.size() / 8);
    std::memcpy(out.data(), bytes_.data(), bytes_.size());
    return out;
  }

private:
  std::vector<char> bytes_ = std::vector<char>((sizeof(Header) + 7) / 8 * 8, 0);
};

} // namespace

std::uint32_t MonitorBuilder::text(std::string_view string) {
  if (string.empty()) return 0;
  const auto known = offsets_.find(string);
  if (known != offsets_.end()) return known->second;
  const auto offset = static_cast<std::uint32_t>(text_.size());
  text_.append(string).push_back('\0');
  offsets_.emplace(string, offset);
  return offset;
}

std::vector<std::uint64_t> MonitorBuilder::finish(const std::vector<Variable>& variables) {
  std::vector<bool> loaded(variables.size(), false);
  for (const auto& in : code)
    if (in.op == Op::Load) loaded[in.operand] = true;
  for (const auto& part : parts)
    if (part.leaf.op == Op::Load) loaded[part.leaf.operand] = true;

  std::vector<std::uint32_t> order, number(variables.size());
  for (const bool first : {true, false})
    for (std::uint32_t i = 0; i < variables.size(); ++i)
      if (loaded[i] == first) order.push_back(i);
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  const auto renumber = [&](knowledge::Instruction& in) {
    if (in.op == Op::Load) in.operand = number[in.operand];
    if (in.op == Op::Accessed)
      in.operand = knowledge::access_operand(number[in.operand >> 8], static_cast<std::uint8_t>(in.operand & 0xff));
  };
  std::ranges::for_each(code, renumber);
  for (auto& part : parts) renumber(part.leaf);

  std::vector<knowledge::VariableRow> variable_rows;
  for (const std::uint32_t v : order) {
    knowledge::VariableRow row;
    row.address = variables[v].address;
    row.size = variables[v].size;
    row.layout = variables[v].type.layout();
    row.name = text(variables[v].name);
    row.watch_name = text(variables[v].watch_name);
    row.flags = variables[v].watched ? knowledge::kWatched : 0u;
    const std::uint64_t library = row.address / trace::kLibraryStep;
    if (!variables[v].watched && library != 0 && library <= libraries.size()) {
      row.flags = knowledge::kInLibrary;
      row.watch_name = text(libraries[library - 1]);
      row.address %= trace::kLibraryStep;
    }
    variable_rows.push_back(row);
  }
  std::vector<std::uint32_t> local_names, block_names;
  local_names.reserve(locals.size());
  block_names.reserve(blocks.size());
  for (const std::string& local : locals) local_names.push_back(text(local));
  for (const std::string& block : blocks) block_names.push_back(text(block));
  std::vector<knowledge::ClassRow> class_rows;
  class_rows.reserve(roles.size() + 1);
  for (std::uint32_t r = 0; r < roles.size(); ++r) class_rows.push_back(classes[r]);
  class_rows.push_back(classes[knowledge::kAllThreads]);

  Header header;
  std::memcpy(header.magic, knowledge::kMagic, sizeof header.magic);
  header.registers = registers;
  header.flags = all_memory ? knowledge::kAllMemory : 0u;
  header.valued = static_cast<std::uint32_t>(std::ranges::count(loaded, true));
  Block block;
  header.variables = block.add(variable_rows);
  header.locals = block.add(local_names);
  header.blocks = block.add(block_names);
  header.roles = block.add(roles);
  header.classes = block.add(class_rows);
  header.code = block.add(code);
  header.nodes = block.add(nodes);
  header.sections = block.add(sections);
  header.monitors = block.add(monitors);
  header.parts = block.add(parts);
  header.text = block.add_bytes(text_.data(), text_.size(), text_.size());
  return block.words(header);
}

} // namespace sooth::logic
