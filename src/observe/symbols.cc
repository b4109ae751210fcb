#include "observe/symbols.h"

#include <algorithm>
#include <cstring>

#include "logic/names/lookup.h"
#include "observe/asking.h"
#include "observe/wrong.h"

namespace sooth::observe {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28; // of all modules of a program
constexpr std::size_t kMostModulesKept = 1u << 16;

} // namespace

std::optional<Error> ProgramSymbols::add(const ModulePart& part) {
  if (part.module > kMostModulesKept || part.module > bodies_.size()) return wrong("a module out of order.");
  if (part.module == bodies_.size()) bodies_.push_back({part.whole, {}});
  Body& body = bodies_[part.module];
  if (part.whole != body.whole || part.offset != body.bytes.size()) return wrong("a part of a module out of order.");
  bytes_ += part.bytes.size();
  if (bytes_ > kMostBytes) return wrong("more symbols than any program has.");
  body.bytes.insert(body.bytes.end(), part.bytes.begin(), part.bytes.end());
  return std::nullopt;
}

std::optional<Error> ProgramSymbols::read(std::uint32_t modules) {
  if (modules != bodies_.size()) return wrong("modules are missing.");
  tables_ = {};
  tables_.sites.emplace_back();
  tables_.all_names_known = true;
  sites_ = {};
  numbers_.assign(1, 0);
  for (const Body& body : bodies_) {
    if (body.bytes.size() != body.whole) return wrong("a module is not whole.");
    const std::size_t before = tables_.sites.size();
    if (!trace::read_module(body.bytes, tables_, sites_)) return wrong("a module's tables do not fit in it.");
    trace::ModuleHeader header;
    std::memcpy(&header, body.bytes.data(), sizeof header); // it was read, so it is there
    for (std::size_t i = before; i < tables_.sites.size(); ++i)
      numbers_.push_back(header.first_site + static_cast<std::uint32_t>(i - before));
  }
  sites_.finish();
  trace::sort_globals(tables_);
  return std::nullopt;
}

const trace::Site& ProgramSymbols::site(std::uint32_t number) const {
  static const trace::Site unknown;
  const std::uint32_t index = tables_.sites.empty() ? 0 : sites_.index_of(number);
  return index < tables_.sites.size() ? tables_.sites[index] : unknown;
}

std::vector<std::uint32_t> ProgramSymbols::functions(const std::string& name, bool any) const {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 1; i < tables_.sites.size(); ++i) {
    if ((tables_.sites[i].flags & trace::kSiteFunction) == 0) continue;
    if (any || logic::same_function(logic::plain_function_name(tables_.sites[i].function), name))
      out.push_back(numbers_[i]);
  }
  std::ranges::sort(out);
  return out;
}

Result<Table> make_table(const logic::PropertyFile& property, const ProgramSymbols& symbols) {
  using logic::EventClass;
  Table table;
  for (const logic::Variable& v : property.variables)
    table.variables.push_back({v.watched ? 0 : v.address, v.size, v.watched ? v.watch_name : "", false});
  for (const logic::EventPredicate& p : property.events) {
    TablePredicate row{static_cast<Match>(p.what), p.any, p.has_thread, p.thread, p.address, p.size, p.name, {}, false};
    if (p.what == EventClass::Call || p.what == EventClass::Return) row.sites = symbols.functions(p.name, p.any);
    if (p.what == EventClass::Acquire || p.what == EventClass::Release) row.name = p.watch_name;
    table.predicates.push_back(std::move(row));
  }
  mark_asking(property, table);
  return table;
}

} // namespace sooth::observe
