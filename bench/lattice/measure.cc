// Explores one lattice and prints what it cost, as one line of JSON: measure THREADS EVENTS LAG WORKERS
//
// Each of THREADS threads has EVENTS relevant events; the k-th event of a thread comes after the (k - LAG)-th of every
// other thread (LAG 0: the threads are independent). LAG decides how wide the levels are. run.py writes the same graph
// as a Promela model.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "explore/lattice.h"

namespace {

using sooth::causality::Clock;
using sooth::causality::Count;
using namespace sooth::explore;

// A property in the usual shape: one atom for each of the first two threads, and a monitor that remembers two bits.
class Parity : public MonitorSet {
public:
  std::size_t monitors() const override { return 1; }
  std::size_t value_words() const override { return 1; }
  Letter begin(std::span<std::uint64_t> values) const override { return values[0] = 0; }
  Letter apply(EventName event, std::span<std::uint64_t> values) const override {
    values[0] ^= std::uint64_t{1} << (event & 1); // events of even and of odd threads
    return values[0];
  }
  Move start(std::size_t, Letter letter) const override { return {letter, false}; }
  Move step(std::size_t, MonitorState state, Letter letter) const override { return {(state | letter) & 3, false}; }
};

} // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const auto threads = static_cast<unsigned>(std::atoi(argv[1]));
  const auto events = static_cast<Count>(std::atoi(argv[2]));
  const auto lag = static_cast<Count>(std::atoi(argv[3]));
  Options options;
  options.workers = static_cast<unsigned>(std::atoi(argv[4]));
  const Parity parity;
  // As they would come out of a trace: reading that is not measured, as SPIN's reading of its model is not.
  std::vector<Message> messages;
  for (unsigned t = 0; t < threads; ++t) {
    for (Count k = 0; k < events; ++k) {
      std::vector<Count> clock(threads, lag != 0 && k >= lag ? k - lag : 0);
      clock[t] = k + 1;
      Message message;
      message.thread = t;
      message.sequence = k;
      message.position = std::uint64_t{k} * threads + t;
      message.event = t;
      message.clock = std::make_shared<const Clock>(std::move(clock));
      messages.push_back(std::move(message));
    }
  }
  const auto started = std::chrono::steady_clock::now();
  Lattice lattice(parity, options);
  for (const Message& message : messages)
    if (lattice.add(message)) return 1;
  lattice.finish();
  lattice.advance();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const Statistics& s = lattice.result().statistics;
  std::printf(
      "{\"cuts\": %llu, \"edges\": %llu, \"levels\": %llu, \"widest\": %llu, \"bytes\": %llu, \"seconds\": %.6f, "
      "\"resident\": %llu, \"complete\": %s}\n",
      static_cast<unsigned long long>(s.cuts), static_cast<unsigned long long>(s.edges),
      static_cast<unsigned long long>(s.levels), static_cast<unsigned long long>(s.widest),
      static_cast<unsigned long long>(s.peak_bytes), spent.count(),
      static_cast<unsigned long long>(usage.ru_maxrss) * 1024,
      lattice.result().end == End::Complete ? "true" : "false");
}
