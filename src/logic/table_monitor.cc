#include "logic/table_monitor.h"

#include <bit>
#include <cassert>

namespace sooth::logic {
namespace {

class TableMonitor final : public Monitor {
public:
  explicit TableMonitor(TransitionTable table) : table_(std::move(table)) {
    assert(table_.events <= kMaxAtoms && table_.next.size() == table_.events * table_.violated.size());
    mask_ = table_.events == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << table_.events) - 1;
  }

  Verdict first(Letter letter) const override { return step(table_.initial, letter); }

  Verdict step(MonitorState state, Letter letter) const override {
    const std::uint64_t happened = letter.atoms & mask_;
    if (happened != 0)
      state = table_.next[static_cast<std::size_t>(state) * table_.events +
                          static_cast<unsigned>(std::countr_zero(happened))];
    return {state, table_.violated[static_cast<std::size_t>(state)]};
  }

  std::string describe(MonitorState state) const override {
    return state < table_.states.size() ? table_.states[static_cast<std::size_t>(state)] : "";
  }

private:
  TransitionTable table_;
  std::uint64_t mask_ = 0;
};

} // namespace

MonitorPointer make_table_monitor(TransitionTable table) { return std::make_shared<TableMonitor>(std::move(table)); }

} // namespace sooth::logic
