#include "predict/feasibility.h"

#include "predict/closure.h"
#include "predict/execution.h"
#include "predict/index.h"
#include "predict/search.h"

namespace sooth::predict {
namespace {

class Tiers final : public Feasibility {
public:
  Tiers(const causality::Computation& computation, witness::Model model, const Limits& limits)
      : index_(computation, model), limits_(limits) {}

  Answer ask(const Question& question) const override {
    if (index_.model == witness::Model::WeakHappensBefore && index_.lock_never_released)
      return {Truth::Undecided, "", {}, "a lock is never released"};
    const auto threads = limits_of(index_.computation, question);
    if (!threads) return {Truth::No, "closure", {}, {}};
    if (!close(index_, question, *threads, ClosureKind::Necessary)) return {Truth::No, "closure", {}, {}};
    if (const auto prefixes = close(index_, question, *threads, ClosureKind::Preserving)) {
      std::vector<StepId> run = observed_order(index_.computation, *prefixes);
      if (objection_to(index_, question, run).empty()) return {Truth::Yes, "closure", std::move(run), {}};
    }
    return search(index_, question, *threads, limits_);
  }

private:
  Index index_;
  Limits limits_;
};

} // namespace

std::unique_ptr<Feasibility> make_feasibility(const causality::Computation& computation, witness::Model model,
                                              const Limits& limits) {
  return std::make_unique<Tiers>(computation, model, limits);
}

} // namespace sooth::predict
