#include "capture/runtime/observing/ask.h"

#include "capture/runtime/monitoring/recovery.h"
#include "capture/runtime/observing/channel.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/buffer.h"

namespace sooth::runtime::observing {

namespace wire = observe::wire;

struct AskedCall {
  AskedCall* next;
  const char* function;
  sooth_violation violation;
};

namespace {

// Messages of threads that are outside are under way: their hooks are over.
void wait_for_messages(const ThreadState& self) {
  const std::uint32_t threads = __atomic_load_n(&g_thread_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < threads; ++i) {
    const ThreadState* other = find_thread(i);
    if (other == nullptr || other == &self) continue;
    while (observer_is_there() && __atomic_load_n(&other->unsent, __ATOMIC_ACQUIRE) != ~std::uint64_t{0}) os::yield();
  }
}

[[noreturn]] void stop_program(const std::uint8_t* body, std::size_t size) {
  wire::In in{body + 1, body + size};
  const auto n = static_cast<std::size_t>(in.number(wire::kMaxText));
  const std::uint8_t* why = in.bytes(n);
  complain("the observer stops the program", reinterpret_cast<const char*>(why), why != nullptr ? n : 0);
  os::call(SYS_exit_group, 66);
  __builtin_unreachable();
}

// A copy that ends with 0.
const char* take_text(wire::In& in, char*& room) {
  const auto n = static_cast<std::size_t>(in.number(wire::kMaxText));
  const std::uint8_t* from = in.bytes(n);
  const char* text = room;
  if (from != nullptr) {
    os::copy(room, from, n);
    room += n;
  }
  *room++ = 0;
  return text;
}

// Its strings live as long as the program, so the memory is never given back. Each property calls
// once at most.
AskedCall* read_call(const std::uint8_t* body, std::size_t size, std::uint32_t thread) {
  constexpr std::size_t kTexts = 4;
  auto* call = static_cast<AskedCall*>(os::pages(sizeof(AskedCall) + size + kTexts));
  if (call == nullptr) return nullptr;
  auto* room = reinterpret_cast<char*>(call + 1);
  wire::In in{body + 1, body + size};
  call->next = nullptr;
  call->function = take_text(in, room);
  call->violation.monitor = take_text(in, room);
  call->violation.formula = take_text(in, room);
  call->violation.file = take_text(in, room);
  call->violation.line = static_cast<unsigned>(in.number(0xffffffff));
  call->violation.thread = thread;
  call->violation.nth = 1;
  return call;
}

// Adds what is to be called at the end of the list.
void exchange(unsigned channel, std::uint64_t position, std::uint32_t thread, AskedCall*& calls) {
  std::uint8_t frame[wire::kLengthBytes + 1 + wire::kMaxNumber];
  wire::Out out{frame + wire::kLengthBytes, frame + sizeof frame};
  out.byte(static_cast<std::uint8_t>(wire::Type::Ask));
  out.number(position);
  std::size_t bytes = static_cast<std::size_t>(out.at - frame);
  wire::put_length(frame, bytes - wire::kLengthBytes);
  AskedCall** end = &calls;
  while (*end != nullptr) end = &(*end)->next;
  for (;; bytes = 0) {
    std::size_t size = 0;
    const std::uint8_t* body = send_and_receive(channel, frame, bytes, size);
    if (body == nullptr || body[0] == static_cast<std::uint8_t>(wire::Type::Ack)) return;
    if (body[0] == static_cast<std::uint8_t>(wire::Type::Stop)) stop_program(body, size);
    if (body[0] != static_cast<std::uint8_t>(wire::Type::Call)) continue;
    *end = read_call(body, size, thread);
    if (*end != nullptr) end = &(*end)->next;
  }
}

} // namespace

AskedCall* ask(const ThreadState& self, std::uint64_t position) {
  AskedCall* calls = nullptr;
  wait_for_messages(self);
  const unsigned own = self.number % kDataChannels;
  // What was sent there may not have arrived yet.
  for (unsigned channel = 0; channel < kDataChannels; ++channel)
    if (channel != own && take_used(channel)) exchange(channel, position, self.number, calls);
  exchange(own, position, self.number, calls);
  for (unsigned channel = 0; channel < kDataChannels; ++channel) take_used(channel);
  return calls;
}

void make_calls(AskedCall* calls) {
  // The function's own events are followed, so the hook has to be over for the thread.
  std::uint32_t& quiet = __sooth_thread.quiet;
  const std::uint32_t before = quiet;
  quiet = 0;
  for (const AskedCall* call = calls; call != nullptr; call = call->next) {
    if (monitoring::has_recovery(call->function)) monitoring::call_recovery(call->function, call->violation);
    else
      complain("nobody has registered the function that a property calls", call->function, os::length(call->function));
  }
  quiet = before;
}

} // namespace sooth::runtime::observing
