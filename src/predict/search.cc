#include "predict/search.h"

#include "predict/schedule.h"

namespace sooth::predict {
namespace {

class Search {
public:
  Search(const Index& index, const Question& question, const Window& window, std::vector<std::uint32_t> limits,
         const Deadline& deadline)
      : constraints_(index, question, window, std::move(limits), deadline), deadline_(deadline) {}

  Answer run() {
    if (!constraints_.start() || !constraints_.saturate())
      return constraints_.out_of_time() ? gave_up() : Answer{Truth::No, "closure", {}, {}};
    push();
    while (!levels_.empty()) {
      if (found_) return {Truth::Yes, levels_.size() == 1 ? "closure" : "search", Run{0, std::move(run_)}, {}};
      if (constraints_.out_of_time() || deadline_.passed()) return gave_up();
      Level& level = levels_.back();
      constraints_.take_back(level.mark);
      if (level.next == level.options.size()) {
        levels_.pop_back();
      } else if (apply(level.options[level.next++]) && constraints_.saturate()) {
        push();
      }
    }
    if (stuck_) return {Truth::Undecided, "search", {}, "no decision was left to make"};
    return {Truth::No, "search", {}, {}};
  }

private:
  struct Level {
    Constraints::Mark mark;
    std::vector<Option> options;
    std::size_t next = 0;
  };

  Answer gave_up() const { return {Truth::Undecided, "search", {}, deadline_.reason(), true}; }

  // The constraints are saturated: a run, or the next decision.
  void push() {
    Schedule result = schedule(constraints_);
    found_ = result.complete;
    run_ = std::move(result.run);
    stuck_ |= !found_ && !result.decides; // a mistake of ours; never take it for a proof
    levels_.push_back({constraints_.mark(), std::move(result.options), 0});
  }

  bool apply(const Option& option) {
    switch (option.kind) {
    case Option::Writer: return constraints_.choose_writer(option.first, option.second);
    case Option::Section: return constraints_.choose_section(option.first, option.second);
    default: return constraints_.order(option.first, option.second);
    }
  }

  Constraints constraints_;
  const Deadline& deadline_;
  std::vector<Level> levels_; // decisions, the last one on top
  std::vector<StepId> run_;
  bool found_ = false;
  bool stuck_ = false;
};

} // namespace

Answer search(const Index& index, const Question& question, const Window& window, std::vector<std::uint32_t> limits,
              const Deadline& deadline) {
  return Search(index, question, window, std::move(limits), deadline).run();
}

} // namespace sooth::predict
