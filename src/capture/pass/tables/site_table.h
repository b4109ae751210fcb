// The rows that say where in the source each hook stands. Equal rows are one row: unrolled loops
// and inlined functions repeat themselves, but copies that were inlined in different places differ.
// Static facts identify each instruction and each function by its row: with them, no two share one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "capture/abi.h"
#include "llvm/ADT/StringRef.h"

namespace sooth::pass {

class ModuleContext;

class StringTable {
public:
  // Offset of the text, zero-terminated; offset 0 is the empty string.
  std::uint32_t add(llvm::StringRef text);
  const std::string& bytes() const { return bytes_; }

private:
  std::string bytes_ = std::string(1, '\0');
  std::unordered_map<std::string, std::uint32_t> offsets_;
};

class SiteTable {
public:
  // A call that was replaced by the body of its function.
  struct InlinedCall {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string function; // that makes the call
    std::uint32_t flags = 0;
  };
  struct Row {
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string function;
    std::string variable;
    std::uint32_t flags = 0;
    std::vector<InlinedCall> inlined; // that lead to it, the innermost first
    std::string object = {};          // of a call: the object that it is about (trace::kFactObjects)
    std::string check = {};           // of a load: the check that it decides; sets it apart from others
  };
  explicit SiteTable(bool distinct = false) : distinct_(distinct) {}
  // The row's number in this module.
  std::uint32_t add(const Row& row);

  const std::vector<SoothSiteRow>& rows() const { return rows_; }
  // The words of trace::kFactInlined; empty if nothing was inlined.
  std::vector<std::uint32_t> inlined_words() const;
  // A check, by the rows of its loads (trace::kFactChecks).
  void add_check(const std::vector<std::uint32_t>& loads, const std::string& fails,
                 const std::vector<std::uint32_t>& condition);
  // The words of trace::kFactChecks; empty if there are none.
  std::vector<std::uint32_t> check_words() const;
  // The words of trace::kFactObjects; empty if no row has an object.
  std::vector<std::uint32_t> object_words() const;
  StringTable strings;

private:
  using Words = std::vector<std::uint32_t>;
  std::uint32_t add_inlined(const std::vector<InlinedCall>& calls);
  const bool distinct_;
  std::vector<SoothSiteRow> rows_;
  std::vector<std::uint32_t> inlined_; // of each row: number of the innermost call, or 0
  std::vector<std::uint32_t> objects_; // of each row: its object's name, or 0
  std::map<Words, std::uint32_t> known_;
  std::map<std::string, std::uint32_t> check_keys_;
  std::set<Words> checks_;
  std::vector<Words> calls_; // numbered from 1
  std::map<Words, std::uint32_t> known_calls_;
};

// Adds the tables to the module, and a constructor that registers them before any other code of the
// module runs.
void emit_module_tables(ModuleContext& context);

} // namespace sooth::pass
