// State machines: has the program done something that the machine does not allow?
//
//     state open: suspend -> shut       suspend, resume: open again
//     state shut: resume -> open        suspend, suspend: no transition, violated
//
// Source: no paper: the form of a safety automaton that people write by hand. The machine starts in
//   its first state and follows the events it is over. An event for which the present state has no
//   transition (nor `else`), or a transition to an error state, is a violation, and stays one.
// Cost: one look into a table for each event.
#include "logic/fsm.h"

#include <algorithm>
#include <optional>
#include <span>

#include "logic/syntax/nearest.h"
#include "logic/table_monitor.h"

namespace sooth::logic {
namespace {

class MachineBuilder {
public:
  MachineBuilder(const SyntaxFile& file, const SyntaxEntry& entry) : file_(file), entry_(entry) {
    for (const SyntaxName& event : entry.over) events_.push_back(event.text);
    for (const SyntaxState& state : entry.states) states_.push_back(state.name.text);
  }

  Result<MonitorPointer> run() {
    if (states_.empty()) return file_.error(entry_.name.at, "a machine needs at least one state");
    if (entry_.states.front().error)
      return file_.error(entry_.states.front().name.at,
                         "the first state is where the machine starts; it cannot be an error");
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (index(states_, states_[i]) != i)
        return file_.error(entry_.states[i].name.at, "there are two states '" + states_[i] + "'");

    const std::size_t stuck = states_.size(); // after an event that has no transition
    TransitionTable table;
    table.events = static_cast<std::uint32_t>(events_.size());
    table.next.assign((stuck + 1) * events_.size(), static_cast<std::uint32_t>(stuck));
    table.violated.assign(stuck + 1, false);
    table.violated[stuck] = true;
    for (const std::string& name : states_) table.states.push_back("state '" + name + "'");
    table.states.emplace_back("an event came that has no transition");
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const std::span<std::uint32_t> row(table.next.data() + i * events_.size(), events_.size());
      if (entry_.states[i].error) {
        if (!entry_.states[i].transitions.empty())
          return file_.error(entry_.states[i].transitions.front().event.at,
                             "an error state has no transitions: what failed stays failed");
        table.violated[i] = true;
        std::fill(row.begin(), row.end(), static_cast<std::uint32_t>(i));
      } else if (const auto error = fill(row, entry_.states[i])) {
        return *error;
      }
    }
    return make_table_monitor(std::move(table));
  }

private:
  static std::size_t index(const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  }

  std::optional<Error> fill(std::span<std::uint32_t> row, const SyntaxState& state) const {
    std::vector<bool> given(events_.size());
    const SyntaxTransition* otherwise = nullptr;
    for (const SyntaxTransition& transition : state.transitions) {
      const std::size_t target = index(states_, transition.target.text);
      if (target == states_.size())
        return file_.error(transition.target.at, "unknown state '" + transition.target.text + "'" +
                                                     did_you_mean(transition.target.text, states_));
      if (transition.event.text == "else") {
        if (otherwise != nullptr) return file_.error(transition.event.at, "there are two 'else' in this state");
        otherwise = &transition;
        continue;
      }
      const std::size_t event = index(events_, transition.event.text);
      if (event == events_.size())
        return file_.error(transition.event.at, "'" + transition.event.text +
                                                    "' is not one of the events that this machine is over" +
                                                    did_you_mean(transition.event.text, events_));
      if (given[event])
        return file_.error(transition.event.at,
                           "there are two transitions for '" + transition.event.text + "' in this state");
      given[event] = true;
      row[event] = static_cast<std::uint32_t>(target);
    }
    if (otherwise != nullptr)
      for (std::size_t event = 0; event < row.size(); ++event)
        if (!given[event]) row[event] = static_cast<std::uint32_t>(index(states_, otherwise->target.text));
    return std::nullopt;
  }

  const SyntaxFile& file_;
  const SyntaxEntry& entry_;
  std::vector<std::string> events_;
  std::vector<std::string> states_;
};

} // namespace

Result<MonitorPointer> make_machine_monitor(const SyntaxFile& file, const SyntaxEntry& entry) {
  return MachineBuilder(file, entry).run();
}

} // namespace sooth::logic
