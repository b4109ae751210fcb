#include "predict/question/search.h"

#include <algorithm>
#include <memory>

#include "predict/question/schedule.h"

namespace sooth::predict {
namespace {

// Why some constraints have no run: one of the options holds, and each leads to a contradiction, at
//   once or by a proof.
struct Proof {
  Premise premise;
  std::vector<Option> options;
  std::vector<std::shared_ptr<const Proof>> because; // by option; null: at once
  std::size_t size = 1;                              // nodes of the tree
};
using SharedProof = std::shared_ptr<const Proof>;
constexpr std::size_t kLargestProof = 100; // that is tried again elsewhere

class ScheduleSearch {
public:
  ScheduleSearch(const Index& index, const Question& question, const Window& window, std::vector<std::uint32_t> limits,
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
      if (level.next == level.proof.options.size()) go_back();
      else if (const Option& option = level.proof.options[level.next++]; holds(option)) push();
      else level.proof.because.push_back(nullptr);
    }
    if (constraints_.out_of_time()) return gave_up();
    if (stuck_) return {Truth::Undecided, "search", {}, "no decision was left to make"};
    return {Truth::No, "search", {}, {}};
  }

private:
  struct Level {
    Constraints::Mark mark;
    Proof proof; // grows with each option that failed
    std::size_t next = 0;
  };

  Answer gave_up() const { return {Truth::Undecided, "search", {}, deadline_.reason(), true}; }

  // The constraints are saturated: a run, or the next decision.
  void push() {
    Schedule result = schedule(constraints_);
    found_ = result.complete;
    run_ = std::move(result.run);
    stuck_ |= !found_ && !result.decides; // a mistake of ours; never take it for a proof
    levels_.push_back({constraints_.mark(), {result.premise, std::move(result.options), {}, 1}, 0});
  }

  // All options of the last level failed. Decisions that the proof does not need go with it.
  void go_back() {
    const SharedProof proof = finish(std::move(levels_.back().proof));
    levels_.pop_back();
    while (!levels_.empty() && proof->size <= kLargestProof && !stuck_) {
      constraints_.take_back(levels_.back().mark);
      if (!refutes(*proof)) break;
      levels_.pop_back();
    }
    if (!levels_.empty()) levels_.back().proof.because.push_back(proof);
  }
  static SharedProof finish(Proof proof) {
    for (const SharedProof& part : proof.because)
      if (part != nullptr) proof.size += part->size;
    return std::make_shared<const Proof>(std::move(proof));
  }

  // Whether the proof holds for the constraints as they are now. Leaves them so.
  bool refutes(const Proof& proof) {
    if (!applies(proof)) return false;
    const Constraints::Mark mark = constraints_.mark();
    bool refuted = true;
    for (std::size_t i = 0; refuted && i < proof.options.size(); ++i) {
      if (holds(proof.options[i])) refuted = proof.because[i] != nullptr && refutes(*proof.because[i]);
      constraints_.take_back(mark);
    }
    return refuted && !constraints_.out_of_time();
  }
  // Whether one of the proof's options holds in every run.
  bool applies(const Proof& proof) const {
    const Premise& premise = proof.premise;
    const PartialRun& run = constraints_.run();
    if (!run.has(premise.first) || (premise.second != kNoStep && !run.has(premise.second))) return false;
    if (!std::ranges::all_of(premise.others, [&](StepId step) { return run.has(step); })) return false;
    if (premise.writer != kUndecidedWriter && constraints_.writer(premise.operation) != premise.writer) return false;
    if (!premise.all_writers) return true;
    // With fewer constraints a read may see more.
    if (constraints_.writer(premise.operation) != kUndecidedWriter) return false;
    return std::ranges::all_of(
        constraints_.candidates(premise.operation, premise.first, ~std::size_t{0}), [&](StepId writer) {
          return std::ranges::any_of(proof.options, [&](const Option& option) { return option.second == writer; });
        });
  }

  // Applies the option; false if there is a contradiction.
  bool holds(const Option& option) { return apply(option) && constraints_.saturate(); }
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
  return ScheduleSearch(index, question, window, std::move(limits), deadline).run();
}

} // namespace sooth::predict
