// What the families of rules share: the trace, the event under judgement, and the place where they
// object.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/trace.h"
#include "trace/verify.h"

namespace sooth::trace::legality {

class Judge {
public:
  Judge(const Trace& trace, std::size_t max_problems);

  const Trace& trace;
  VerifyReport report;
  std::size_t index = 0;           // of the event under judgement
  std::vector<std::uint8_t> ended; // by thread: its thread-end has passed
  bool inherited = false;          // the trace of a forked child: locks may be held, and things done, from before

  // The event breaks `rule`. `sentence()` is called only if the problem will be shown.
  template <typename Sentence>
  void object(Rule rule, Sentence&& sentence) {
    if (count(rule)) describe(rule, sentence());
  }

  // Did the program write over [address] after event `since`? Then the object there was made anew:
  // a mutex or a once flag on the stack has no other sign of its birth. Looked for only when a rule
  // seems broken.
  bool written_over(std::uint64_t address, std::size_t since);

  std::string name_of(std::uint64_t address) const;    // "0x1234 (`queue.lock`)"
  std::string thread_name(std::uint32_t thread) const; // "thread 3 (worker)"
  void remark(std::string sentence);

  // All that changes while events are judged, for Verifier::judge_rest.
  struct State {
    VerifyReport report;
    std::size_t index;
    std::vector<std::uint8_t> ended;
    std::uint64_t look_back_budget;
  };
  State state() const { return {report, index, ended, look_back_budget_}; }
  void restore(const State& state);

private:
  bool count(Rule rule);
  void describe(Rule rule, std::string sentence);

  std::size_t max_problems_;
  std::uint64_t look_back_budget_;
};

// One family of rules: the objects of one kind. It sees the kinds it wants, in order.
class Family {
public:
  explicit Family(Judge& judge) : judge_(judge) {}
  virtual ~Family() = default;
  Family& operator=(const Family&) = delete;

  virtual bool wants(EventKind kind) const = 0;
  virtual void step(const Event& event) = 0;
  virtual void finish() {}
  // A copy of its state so far, for another end of the trace before the same judge.
  virtual std::unique_ptr<Family> copy() const = 0;

protected:
  Family(const Family&) = default;
  Judge& judge_;
};

// An object of the program begins or ends at these addresses: earlier objects there are gone.
constexpr bool renews_memory(EventKind kind) {
  return kind == EventKind::Alloc || kind == EventKind::Free || kind == EventKind::Map || kind == EventKind::Unmap ||
         kind == EventKind::StackBegin || kind == EventKind::StackEnd;
}

// Forgets the entries of an ordered map whose address lies in the range of a renews_memory event.
template <typename Map>
void forget_range(Map& objects, const Event& event) {
  const auto first = objects.lower_bound(event.address);
  auto last = first;
  while (last != objects.end() && last->first - event.address < event.value) ++last;
  objects.erase(first, last);
}

// False if the event cannot be judged further.
bool well_formed(Judge& judge, const Event& event);

std::unique_ptr<Family> make_values(Judge& judge);
std::unique_ptr<Family> make_merged(Judge& judge);
std::unique_ptr<Family> make_locks(Judge& judge);
std::unique_ptr<Family> make_conditions(Judge& judge);
std::unique_ptr<Family> make_barriers(Judge& judge);
std::unique_ptr<Family> make_semaphores(Judge& judge);
std::unique_ptr<Family> make_once(Judge& judge);
std::unique_ptr<Family> make_threads(Judge& judge);
std::unique_ptr<Family> make_blocks(Judge& judge);
std::unique_ptr<Family> make_nesting(Judge& judge);

} // namespace sooth::trace::legality
