// The symbols of an observed program, as they come over the wire, and what they make relevant.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "logic/property.h"
#include "observe/protocol.h"
#include "trace/file/metadata.h"
#include "trace/trace.h"

namespace sooth::observe {

class ProgramSymbols {
public:
  // Parts of a module come in order. An error if one does not fit, or if it is too much altogether.
  std::optional<Error> add(const ModulePart& part);
  // All modules so far, `modules` of them, are whole: reads their tables.
  std::optional<Error> read(std::uint32_t modules);

  const trace::Trace& tables() const { return tables_; } // a trace without events
  const trace::Site& site(std::uint32_t number) const;
  // Numbers, as the program uses them, of the functions with this name; ascending.
  std::vector<std::uint32_t> functions(const std::string& name, bool any) const;

private:
  struct Body {
    std::uint64_t whole = 0;
    std::vector<std::uint8_t> bytes;
  };
  std::vector<Body> bodies_;
  std::uint64_t bytes_ = 0;
  trace::Trace tables_;
  trace::SiteMap sites_;
  std::vector<std::uint32_t> numbers_; // of tables_.sites
};

// What the program has to send for this property. An error if it cannot be observed while the
// program runs.
Result<Table> make_table(const logic::PropertyFile& property, const ProgramSymbols& symbols);

} // namespace sooth::observe
