#include "observe/asking.h"

#include <algorithm>
#include <set>
#include <vector>

namespace sooth::observe {
namespace {

using logic::Letter;
using logic::MonitorState;

constexpr std::size_t kMostAtoms = 8;
constexpr std::size_t kMostStates = 256;

bool is_about_events(const logic::Expression& atom) {
  return std::ranges::any_of(atom.code(), [](const auto& i) { return i.op == logic::Op::Happened; });
}

class UnseenSteps {
public:
  explicit UnseenSteps(const logic::Property& property) : monitor_(*property.monitor), atoms_(property.atoms.size()) {
    for (std::size_t k = 0; k < property.atoms.size() && k < kMostAtoms; ++k) {
      if (!is_about_events(property.atoms[k])) continue;
      events_ |= std::uint64_t{1} << k;
      // `call(f)` is false in such a step; what `!call(f) && x > 0` is depends on x.
      if (property.atoms[k].code().size() != 1) mixed_ = true;
    }
  }

  bool can_violate() {
    if (atoms_ > kMostAtoms || mixed_) return true;
    for (std::uint64_t letter = 0; letter >> atoms_ == 0; ++letter)
      if (violates_after(monitor_.first({letter}), letter)) return true;
    while (!waiting_.empty()) {
      if (known_.size() > kMostStates) return true;
      const MonitorState state = waiting_.back();
      waiting_.pop_back();
      for (std::uint64_t letter = 0; letter >> atoms_ == 0; ++letter)
        if (violates_after(monitor_.step(state, {letter}), letter)) return true;
    }
    return false;
  }

private:
  // Unseen steps follow the one with this letter. A run that failed at that one is over.
  bool violates_after(logic::Verdict verdict, std::uint64_t letter) {
    std::set<MonitorState> met;
    while (!verdict.violated && met.insert(verdict.next).second) {
      if (known_.insert(verdict.next).second) waiting_.push_back(verdict.next);
      verdict = monitor_.step(verdict.next, {letter & ~events_});
      if (verdict.violated) return true;
    }
    return false;
  }

  const logic::Monitor& monitor_;
  const std::size_t atoms_;
  std::uint64_t events_ = 0; // atoms that are true only right after an event
  bool mixed_ = false;
  std::set<MonitorState> known_;
  std::vector<MonitorState> waiting_;
};

} // namespace

bool can_fail_unseen(const logic::Property& property) { return UnseenSteps(property).can_violate(); }

void mark_asking(const logic::PropertyFile& file, Table& table) {
  for (const logic::Property& property : file.properties) {
    if (property.action == logic::Action::Report || property.monitor == nullptr) continue;
    const bool all = can_fail_unseen(property);
    for (std::uint32_t v = 0; v < table.variables.size(); ++v)
      if (all || std::ranges::binary_search(property.variables, v)) table.variables[v].asks = true;
    for (std::size_t k = 0; k < table.predicates.size(); ++k)
      if (all || (property.events >> k & 1) != 0) table.predicates[k].asks = true;
  }
}

} // namespace sooth::observe
