// The tables behind trace.h, made from event_kinds.def and defects.def.
#include <array>

#include "trace/trace.h"

namespace sooth::trace {
namespace {

struct KindRow {
  EventKind kind = EventKind::None;
  std::string_view name;
  bool ticketed = false;
};

constexpr KindRow kKindRows[] = {
#define SOOTH_EVENT_KIND(enumerator, name, number, ticketed, object, acts, meaning)                                    \
  {EventKind::enumerator, name, ticketed},
#include "trace/event_kinds.def"
#undef SOOTH_EVENT_KIND
};

// By number, so that a lookup for every event of a trace costs one load.
constexpr std::array<KindRow, 256> kRowByNumber = [] {
  std::array<KindRow, 256> rows;
  for (const KindRow& row : kKindRows) rows[static_cast<std::uint8_t>(row.kind)] = row;
  return rows;
}();

constexpr auto kKinds = [] {
  std::array<EventKind, std::size(kKindRows)> kinds = {};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kKindRows[i].kind;
  return kinds;
}();

constexpr DefectRow kDefectRows[] = {
#define SOOTH_DEFECT(enumerator, name, number, severity, sentence) {Defect::enumerator, name, #severity, sentence},
#include "trace/defects.def"
#undef SOOTH_DEFECT
};

constexpr std::string_view kOrderNames[] = {"plain", "relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};

} // namespace

std::string_view kind_name(EventKind kind) { return kRowByNumber[static_cast<std::uint8_t>(kind)].name; }

EventKind kind_from_name(std::string_view name) {
  for (const KindRow& row : kKindRows) {
    if (row.name == name) return row.kind;
  }
  return EventKind::None;
}

bool kind_is_ticketed(EventKind kind) { return kRowByNumber[static_cast<std::uint8_t>(kind)].ticketed; }

std::span<const EventKind> all_kinds() { return kKinds; }

std::string_view order_name(MemoryOrder order) {
  const auto number = static_cast<std::size_t>(order);
  return number < std::size(kOrderNames) ? kOrderNames[number] : std::string_view{};
}

std::span<const DefectRow> defect_rows() { return kDefectRows; }

} // namespace sooth::trace
