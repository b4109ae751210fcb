#include "causality/models/recorded_order.h"

#include "causality/models/certain_order.h"
#include "causality/models/clocked_model.h"

namespace sooth::causality {

namespace {

class RecordedOrder : public ClockedModel {
public:
  RecordedOrder(const trace::Trace& trace, const Computation& computation, const Relevance& relevance)
      : ClockedModel(trace.threads.size()) {
    CertainOrder order(trace, computation);
    auto next = relevance.events.begin();
    for (EventIndex event = 0; event < trace.events.size() && next != relevance.events.end(); ++event) {
      order.see(event);
      if (*next == event) {
        const ThreadNumber t = trace.events[event].thread;
        ++next;
        order.clocks().count(t);
        add_step({event, true, false}, t, order.clocks().now(t));
      }
      order.leave(event);
    }
  }

  std::string_view name() const override { return "recorded"; }
};

} // namespace

std::unique_ptr<Model> make_recorded_order(const trace::Trace& trace, const Computation& computation,
                                           const Relevance& relevance) {
  return std::make_unique<RecordedOrder>(trace, computation, relevance);
}

} // namespace sooth::causality
