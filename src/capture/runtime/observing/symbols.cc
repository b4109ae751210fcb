#include "capture/runtime/observing/symbols.h"

#include "capture/runtime/modules.h"
#include "capture/runtime/observing/channel.h"
#include "capture/runtime/observing/hook.h"
#include "capture/runtime/observing/values.h"
#include "capture/runtime/os.h"

namespace sooth::runtime::observing {
namespace {

namespace wire = observe::wire;

std::uint32_t g_sent; // modules

void send_module(std::uint32_t number, const std::uint8_t* body, std::size_t bytes) {
  auto* frame = static_cast<std::uint8_t*>(os::pages(wire::kModulePart + 64));
  if (frame == nullptr) return;
  for (std::size_t offset = 0; offset < bytes;) {
    const std::size_t part = bytes - offset < wire::kModulePart ? bytes - offset : wire::kModulePart;
    wire::Out out{frame + wire::kLengthBytes, frame + 64};
    out.byte(static_cast<std::uint8_t>(wire::Type::Module));
    out.number(number);
    out.number(offset);
    out.number(bytes);
    os::copy(out.at, body + offset, part);
    const auto length = static_cast<std::size_t>(out.at - frame) - wire::kLengthBytes + part;
    wire::put_length(frame, length);
    if (!send_frames(kControlChannel, frame, wire::kLengthBytes + length)) break;
    offset += part;
  }
  os::give_back(frame, wire::kModulePart + 64);
}

// The observer is not trusted: it may ask only for variables that the program itself told it of.
bool is_own_variable(std::uint64_t address, std::uint64_t size) {
  struct Search {
    std::uint64_t address, size;
    bool found;
  } search{address, size, false};
  for_each_module(
      [](void* context, std::uint32_t, const std::uint8_t* body, std::size_t) {
        auto& [wanted, bytes, found] = *static_cast<Search*>(context);
        trace::ModuleHeader header;
        os::copy(&header, body, sizeof header);
        const std::uint8_t* rows = body + sizeof header + header.sites * sizeof(trace::SiteRow);
        for (std::uint32_t i = 0; i < header.globals && !found; ++i) {
          trace::GlobalRow global;
          os::copy(&global, rows + i * sizeof global, sizeof global);
          const std::uint64_t offset = wanted - global.address;
          found = offset < global.bytes && bytes <= global.bytes - offset;
        }
      },
      &search);
  return search.found;
}

bool are_own_variables() {
  for (std::size_t i = 0; i < variable_count(); ++i)
    if (const Variable& v = variable(i); v.address != 0 && v.watch.length == 0 && !is_own_variable(v.address, v.size))
      return false;
  return true;
}

// The values of the property's variables before its first event.
void send_initial_state(ThreadState& self) {
  const std::size_t count = variable_count();
  const std::size_t room = 64 + count * wire::kMaxNumber;
  auto* frame = static_cast<std::uint8_t*>(os::pages(room));
  if (frame == nullptr) return end_messages();
  wire::Out out{frame + wire::kLengthBytes, frame + room};
  out.byte(static_cast<std::uint8_t>(wire::Type::Initial));
  out.number(count);
  for (std::size_t i = 0; i < count; ++i) {
    Variable& v = variable(i);
    if (v.address != 0) {
      os::copy(&v.value, reinterpret_cast<const void*>(v.address), v.size);
      Lines lines; // alone: they can be held
      lines.hold(self, v.address, v.address + v.size);
      shadow_values(lines, v.address, reinterpret_cast<const std::uint8_t*>(&v.value), v.size);
    }
    out.number(v.value);
  }
  wire::put_length(frame, static_cast<std::size_t>(out.at - frame) - wire::kLengthBytes);
  send_frames(kControlChannel, frame, static_cast<std::size_t>(out.at - frame));
  os::give_back(frame, room);
}

void take_answer(ThreadState& self, const std::uint8_t* body, std::size_t size) {
  const auto type = static_cast<wire::Type>(body[0]);
  if (type == wire::Type::Later) return; // the observer itself reports it
  if (type == wire::Type::Table) {
    const bool first = !has_table();
    if (!read_table(body, size) || !are_own_variables()) {
      complain("the observer asks for something that is no variable of this program; it is not observed", nullptr, 0);
      return end_messages();
    }
    if (first) send_initial_state(self);
    return;
  }
  wire::In in{body + 1, body + size};
  const auto n = static_cast<std::size_t>(in.number(wire::kMaxText));
  const std::uint8_t* why = in.bytes(n);
  complain("the observer refused", reinterpret_cast<const char*>(why), why != nullptr ? n : 0);
  if (type == wire::Type::Stop) os::call(SYS_exit_group, 66);
  end_messages();
}

} // namespace

bool has_new_modules() { return module_count() != __atomic_load_n(&g_sent, __ATOMIC_ACQUIRE); }

void send_new_modules(ThreadState& self) {
  const std::uint32_t known = module_count();
  if (known == g_sent) return;
  const std::uint32_t first = g_sent;
  __atomic_store_n(&g_sent, known, __ATOMIC_RELEASE);
  for_each_module(
      [](void* from, std::uint32_t number, const std::uint8_t* body, std::size_t bytes) {
        if (number >= *static_cast<const std::uint32_t*>(from)) send_module(number, body, bytes);
      },
      const_cast<std::uint32_t*>(&first));
  std::uint8_t frame[32];
  wire::Out out{frame + wire::kLengthBytes, frame + sizeof frame};
  out.byte(static_cast<std::uint8_t>(wire::Type::Symbols));
  out.number(known);
  wire::put_length(frame, static_cast<std::size_t>(out.at - frame) - wire::kLengthBytes);
  std::size_t size = 0;
  if (const std::uint8_t* answer =
          send_and_receive(kControlChannel, frame, static_cast<std::size_t>(out.at - frame), size))
    take_answer(self, answer, size);
}

} // namespace sooth::runtime::observing
