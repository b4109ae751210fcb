#include "capture/runtime/observing/table.h"

#include "capture/runtime/observing/observing.h"
#include "capture/runtime/os.h"
#include "observe/wire.h"
#include "trace/effects.h"

namespace sooth::runtime::observing {

Places g_places;

namespace {

namespace wire = observe::wire;

enum class Match : std::uint8_t { Call, Return, Acquire, Release, ThreadStart, ThreadEnd, User }; // protocol.h

struct Predicate {
  Match what;
  bool any;
  bool has_thread;
  std::uint32_t thread;
  std::uint64_t address;
  std::uint64_t size;
  WireText name;
  std::uint32_t* sites; // ascending
  std::size_t site_count;
};
constexpr std::size_t kMostPredicates = 64;
Predicate g_predicates[kMostPredicates];
std::size_t g_predicate_count;
Variable* g_variables;
std::size_t g_variable_count;
std::uint64_t g_asking; // bit k: predicate k
bool g_has_table, g_answers, g_calls, g_locks, g_thread_names;

bool same(const WireText& text, const char* name) {
  for (std::size_t i = 0; i < text.length; ++i)
    if (name[i] == 0 || name[i] != text.text[i]) return false;
  return name[text.length] == 0;
}

WireText text_of(wire::In& in) {
  const auto n = static_cast<std::size_t>(in.number(wire::kMaxText));
  const std::uint8_t* bytes = in.bytes(n);
  return {reinterpret_cast<const char*>(bytes), bytes != nullptr ? n : 0};
}

void place_variables() {
  g_places.low = ~std::uint64_t{0};
  g_places.high = 0;
  for (std::uint64_t& word : g_places.bits) {
    word = 0;
    __asm__ volatile("" : : : "memory"); // not to become a call of memset
  }
  for (std::size_t i = 0; i < g_variable_count; ++i) {
    const Variable& v = g_variables[i];
    if (v.address == 0) continue;
    if (v.address < g_places.low) g_places.low = v.address;
    if (v.address + v.size > g_places.high) g_places.high = v.address + v.size;
    for (std::uint64_t line = v.address / 64; line * 64 < v.address + v.size; ++line)
      g_places.bits[line / 64 % 64] |= std::uint64_t{1} << line % 64;
  }
}

bool read_variables(wire::In& in) {
  const std::size_t count = in.count(4);
  const bool again = g_has_table; // more modules were loaded: the variables are those of before, with their values
  if (again && count != g_variable_count) return false;
  if (!again) g_variables = static_cast<Variable*>(os::pages((count + 1) * sizeof *g_variables));
  if (g_variables == nullptr) return false;
  for (std::size_t i = 0; in.ok && i < count; ++i) {
    Variable row = {};
    row.address = in.number();
    row.size = static_cast<std::uint32_t>(in.number(8));
    row.watch = text_of(in);
    row.asks = in.number(1) != 0;
    g_answers = g_answers || row.asks;
    if (!again) g_variables[i] = row;
  }
  g_variable_count = count;
  return in.ok;
}

bool read_sites(wire::In& in, Predicate& row) {
  row.site_count = in.count(1);
  if (row.site_count == 0) return in.ok;
  row.sites = static_cast<std::uint32_t*>(os::pages(row.site_count * sizeof *row.sites));
  if (row.sites == nullptr) return false;
  for (std::size_t i = 0; i < row.site_count; ++i) row.sites[i] = static_cast<std::uint32_t>(in.number(0xffffffff));
  return in.ok;
}

bool read_predicates(wire::In& in) {
  const std::size_t count = in.count(8);
  if (count > kMostPredicates) return false;
  for (std::size_t i = 0; in.ok && i < count; ++i) {
    Predicate row = {};
    row.what = static_cast<Match>(in.number(static_cast<std::uint64_t>(Match::User)));
    row.any = in.number(1) != 0;
    if (in.number(1) != 0) g_asking |= std::uint64_t{1} << i;
    row.has_thread = in.number(1) != 0;
    row.thread = static_cast<std::uint32_t>(in.number(0xffffffff));
    row.address = in.number();
    row.size = in.number();
    row.name = text_of(in);
    if (!read_sites(in, row)) return false;
    // A lock that a watch names keeps its place.
    if (g_has_table && row.address == 0) {
      row.address = g_predicates[i].address;
      row.size = g_predicates[i].size;
    }
    g_calls = g_calls || row.what == Match::Call || row.what == Match::Return;
    g_locks = g_locks || row.what == Match::Acquire || row.what == Match::Release;
    g_thread_names = g_thread_names || (row.what == Match::ThreadStart && !row.any && !row.has_thread);
    g_predicates[i] = row;
  }
  g_predicate_count = count;
  return in.ok;
}

template <typename Wanted>
std::uint64_t matching(Match what, Wanted wanted) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < g_predicate_count; ++i)
    if (g_predicates[i].what == what && (g_predicates[i].any || wanted(g_predicates[i]))) bits |= std::uint64_t{1} << i;
  return bits;
}

} // namespace

bool read_table(const std::uint8_t* body, std::size_t size) {
  // Names point into the message, so the message is kept.
  auto* kept = static_cast<std::uint8_t*>(os::pages(size));
  if (kept == nullptr) return false;
  os::copy(kept, body, size);
  wire::In in{kept + 1, kept + size};
  const bool ok = in.ok && read_variables(in) && read_predicates(in);
  g_answers = g_answers || g_asking != 0;
  g_has_table = ok;
  if (!ok) g_variable_count = g_predicate_count = 0;
  place_variables();
  return ok;
}

bool has_table() { return g_has_table; }
bool wants_answers() { return g_answers; }
bool asks_for(std::uint64_t happened) { return (happened & g_asking) != 0; }
bool wants_calls() { return g_calls; }
bool wants_locks() { return g_locks; }
bool wants_thread_names() { return g_thread_names; }
std::size_t variable_count() { return g_variable_count; }
Variable& variable(std::size_t index) { return g_variables[index]; }

bool may_be_relevant(std::uint64_t address, std::uint64_t size) {
  return !has_table() || may_hold_variables(address, size);
}

bool place_watch(const char* name, std::uint64_t address, std::uint64_t size) {
  bool found = false;
  for (std::size_t i = 0; i < g_variable_count; ++i) {
    Variable& v = g_variables[i];
    if (v.watch.length == 0 || !same(v.watch, name) || v.size > size) continue;
    v.address = address;
    found = true;
  }
  for (std::size_t i = 0; i < g_predicate_count; ++i) {
    Predicate& p = g_predicates[i];
    const bool lock = p.what == Match::Acquire || p.what == Match::Release;
    if (!lock || p.name.length == 0 || !same(p.name, name)) continue;
    p.address = address;
    p.size = size;
  }
  place_variables();
  return found;
}

std::uint64_t match_sync(trace::EventKind kind, std::uint64_t lock) {
  if (!trace::takes_lock(kind) && !trace::gives_lock(kind)) return 0;
  return matching(trace::takes_lock(kind) ? Match::Acquire : Match::Release,
                  [&](const Predicate& p) { return lock - p.address < p.size; });
}

std::uint64_t match_user(const char* name) {
  return matching(Match::User, [&](const Predicate& p) { return same(p.name, name); });
}

std::uint64_t match_thread(bool starts, std::uint32_t thread, const char* name) {
  return matching(starts ? Match::ThreadStart : Match::ThreadEnd, [&](const Predicate& p) {
    return p.has_thread ? p.thread == thread : name != nullptr && same(p.name, name);
  });
}

std::uint64_t match_call(bool enters, std::uint32_t site) {
  return matching(enters ? Match::Call : Match::Return, [&](const Predicate& p) {
    std::size_t low = 0, high = p.site_count;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (p.sites[middle] == site) return true;
      if (p.sites[middle] < site) low = middle + 1;
      else high = middle;
    }
    return false;
  });
}

} // namespace sooth::runtime::observing
