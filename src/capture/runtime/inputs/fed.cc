// The replay: each thread gets its recorded results, in their order.
#include "capture/runtime/inputs/fed.h"

#include "capture/runtime/os.h"
#include "capture/runtime/replaying/state.h"
#include "capture/runtime/thread.h"

namespace sooth::runtime {

// A thread of the recorded run. Only the thread itself changes it, except that its creator fills in
// `number`.
struct FedThread {
  std::uint32_t number;   // of the program's thread; kNoThread: not created yet
  std::uint32_t children; // it has created so many
  const std::uint8_t* at; // its next row
  const std::uint8_t* end;
};

namespace {

const replay::InputThread* g_input_threads;
FedThread* g_fed;

FedThread* fed_self(Thread* t) {
  if (t->fed != nullptr && t->fed->number == t->number) return t->fed;
  for (std::uint32_t i = 0; i < g_schedule->input_threads; ++i) // once for each thread, unless it is unknown
    if (__atomic_load_n(&g_fed[i].number, __ATOMIC_ACQUIRE) == t->number) return t->fed = &g_fed[i];
  return nullptr;
}

const InputRow* row_at(const FedThread& self) {
  const auto left = static_cast<std::uint64_t>(self.end - self.at);
  if (left < sizeof(InputRow)) return nullptr;
  const auto* row = reinterpret_cast<const InputRow*>(self.at);
  return row->bytes <= left - sizeof *row && replay::padded(row->bytes) <= left - sizeof *row ? row : nullptr;
}

// The thread asks for something else than in the recorded run. The first such call is told.
void leave_recorded(FedThread& self, InputCall asked, const InputRow* recorded) {
  self.at = self.end;
  std::uint32_t nobody = 0;
  if (!__atomic_compare_exchange_n(&g_schedule->input_asked, &nobody, static_cast<std::uint32_t>(asked), false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  g_schedule->input_recorded = static_cast<std::uint32_t>(recorded != nullptr ? recorded->call : InputCall::None);
  g_schedule->input_thread = static_cast<std::uint32_t>(&self - g_fed);
}

const InputRow* take_row(FedThread& self, InputCall call) {
  if (self.at == self.end) return nullptr;
  const InputRow* row = row_at(self);
  if (row == nullptr || row->call != call) {
    leave_recorded(self, call, row);
    return nullptr;
  }
  self.at += sizeof *row + replay::padded(row->bytes);
  return row;
}

} // namespace

bool start_feeding(const std::uint8_t* inputs, std::uint64_t bytes) {
  const std::uint32_t threads = g_schedule->input_threads;
  if (threads == 0) return true;
  const std::uint64_t table = threads * sizeof *g_input_threads;
  if (threads > replay::kMostThreads || table > bytes) return false;
  g_input_threads = reinterpret_cast<const replay::InputThread*>(inputs);
  g_fed = static_cast<FedThread*>(os::pages(threads * sizeof *g_fed));
  if (g_fed == nullptr) return false;
  for (std::uint32_t i = 0; i < threads; ++i) {
    const replay::InputThread& thread = g_input_threads[i];
    if (thread.begin > bytes - table || thread.bytes > bytes - table - thread.begin || thread.begin % 8 != 0)
      return false;
    const std::uint8_t* begin = inputs + table + thread.begin;
    g_fed[i] = {i == 0 ? 0 : kNoThread, 0, begin, begin + thread.bytes};
  }
  g_inputs = Inputs::Fed;
  return true;
}

const InputRow* next_input(Thread* t, InputCall call) {
  FedThread* self = t->in_input ? nullptr : fed_self(t);
  return self != nullptr ? take_row(*self, call) : nullptr;
}

void input_thread(Thread* t, std::uint32_t child) {
  if (g_inputs == Inputs::Recorded) return note_input(t, InputCall::Fork, child, nullptr, 0);
  FedThread* self = g_inputs == Inputs::Fed ? fed_self(t) : nullptr;
  if (self == nullptr) return;
  take_row(*self, InputCall::Fork);
  ++self->children;
  const auto own = static_cast<std::uint32_t>(self - g_fed);
  for (std::uint32_t i = 1; i < g_schedule->input_threads; ++i)
    if (g_input_threads[i].parent == own && g_input_threads[i].ordinal == self->children)
      return __atomic_store_n(&g_fed[i].number, child, __ATOMIC_RELEASE);
}

namespace {

struct ToldId {
  int told, real;
};
constexpr std::size_t kMostIds = 4096;
ToldId g_told[kMostIds];
std::uint32_t g_told_used;

} // namespace

void told_id(int told, int real) {
  if (told == real || real_id(told) == real) return;
  // Relaxed: each number goes to one thread, which fills its row in before anybody can use the id.
  const std::uint32_t at = __atomic_fetch_add(&g_told_used, 1, __ATOMIC_RELAXED);
  if (at < kMostIds) g_told[at] = {told, real};
}

int real_id(int told) {
  const std::uint32_t used = __atomic_load_n(&g_told_used, __ATOMIC_RELAXED);
  for (std::uint32_t i = 0; i < used && i < kMostIds; ++i)
    if (g_told[i].told == told) return g_told[i].real;
  return told;
}

} // namespace sooth::runtime
