// The protocol from the program's side: any bytes as the observer's table, and as a second one that
// comes when more modules are loaded. Then every question that the runtime asks of a table.
//
// The runtime is no library that a fuzzer can link, so its file is included; what it takes in pages
// comes from the heap here, so that the sanitizer sees every byte too many.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "capture/runtime/os.h"

namespace {
std::vector<std::unique_ptr<std::uint8_t[]>> g_given;
} // namespace
namespace sooth::runtime::os {
inline void* pages_of_the_heap(std::size_t bytes) {
  g_given.push_back(std::make_unique<std::uint8_t[]>(bytes));
  return g_given.back().get();
}
} // namespace sooth::runtime::os
#define pages pages_of_the_heap
#include "capture/runtime/observing/table.cc" // NOLINT: see above
#undef pages

namespace observing = sooth::runtime::observing;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void ask_everything() {
  using sooth::trace::EventKind;
  for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{0x1000}, ~std::uint64_t{0}})
    for (const EventKind kind : {EventKind::Acquire, EventKind::Release, EventKind::Wake, EventKind::Read})
      observing::match_sync(kind, address);
  for (const char* name : {"", "x", "event"}) {
    observing::match_user(name);
    observing::match_thread(true, 1, name);
    observing::place_watch(name, 0x2000, 8);
  }
  observing::match_thread(false, 0, nullptr);
  for (const std::uint32_t site : {0u, 1u, 0xffffffffu}) observing::match_call(true, site);
  for (std::size_t i = 0; i < observing::variable_count(); ++i) require(observing::variable(i).size <= 8);
  observing::may_hold_variables(0x1000, 64);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::size_t first = 1 + data[0] % (size - 2), second = size - 1 - first;
  observing::read_table(data + 1, first);
  ask_everything();
  observing::read_table(data + 1 + first, second);
  ask_everything();
  const std::uint8_t none[] = {0};
  require(!observing::read_table(none, 1) && observing::variable_count() == 0);
  g_given.clear();
  return 0;
}
