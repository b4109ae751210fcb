#include "capture/runtime/observing/values.h"

#include <sys/uio.h>

#include "capture/runtime/os.h"

namespace sooth::runtime::observing {
namespace {

// Whether a store of this thread into [address, address + size) is under way.
bool is_storing(const ThreadState& thread, std::uint64_t address, std::uint64_t size) {
  const std::uint64_t bytes = __atomic_load_n(&thread.storing_bytes, __ATOMIC_ACQUIRE);
  if (bytes == 0) return false;
  const std::uint64_t from = __atomic_load_n(&thread.storing, __ATOMIC_ACQUIRE);
  // If it has gone on meanwhile, it has not begun another store here: the line is held.
  return from < address + size && address < from + bytes &&
         __atomic_load_n(&thread.storing_bytes, __ATOMIC_ACQUIRE) == bytes;
}

template <typename Body>
bool any_other_thread(const ThreadState& self, Body body) {
  const std::uint32_t threads = __atomic_load_n(&g_thread_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < threads; ++i)
    if (const ThreadState* other = find_thread(i); other != nullptr && other != &self && body(*other)) return true;
  return false;
}

// The bytes in memory now. False if they cannot be read: another thread may have unmapped them.
bool read_memory(std::uint64_t address, std::uint8_t* out, std::size_t size) {
  const iovec to = {out, size};
  const iovec from = {reinterpret_cast<void*>(address), size};
  return os::call(SYS_process_vm_readv, os::pid(), reinterpret_cast<long>(&to), 1, reinterpret_cast<long>(&from), 1,
                  0) == static_cast<long>(size);
}

// Some bytes are not those that were written last, by the hooks.
Seen judge_mismatch(const ThreadState& self, const Part& part, std::uint64_t wrong) {
  const Line& line = *part.line;
  if ((line.contested & wrong) != 0) return Seen::Unordered;
  // Nobody else wrote here since this thread's own last hook of a write, whose rivals were done.
  if (line.writer == 0 || line.writer == mark_of(self)) return Seen::External;
  if (others_store(self, line, part.address, part.count)) return Seen::Overtaken;
  // The stores are done. If the last value is there, the read came before it; else code without
  // hooks wrote after it.
  std::uint8_t now[kLineBytes];
  if (!read_memory(part.address, now, part.count)) return Seen::Overtaken;
  for (unsigned i = 0; i < part.count; ++i)
    if ((wrong >> (part.first + i) & 1) != 0 && now[i] != line.bytes[part.first + i]) return Seen::External;
  return Seen::Overtaken;
}

Seen judge_part(const ThreadState& self, const Part& part, const std::uint8_t* bytes) {
  Line& line = *part.line;
  std::uint64_t wrong = 0;
  for (unsigned i = 0; i < part.count; ++i)
    if (line.bytes[part.first + i] != bytes[i]) wrong |= std::uint64_t{1} << (part.first + i);
  wrong &= line.known;
  if (wrong != 0) return judge_mismatch(self, part, wrong);
  // The stores are done, and the one whose hook came last was the last.
  if ((line.contested & part.mask() & line.known) != 0 && !others_store(self, line, part.address, part.count))
    line.contested &= ~part.mask();
  return Seen::Fits;
}

// The bytes of [address, address + size) in this part: the part may begin before, and end behind.
template <typename Body>
void inside(const Part& part, std::uint64_t address, std::uint64_t size, Body body) {
  const std::uint64_t low = part.address > address ? part.address : address;
  const std::uint64_t part_end = part.address + part.count;
  const std::uint64_t high = part_end < address + size ? part_end : address + size;
  if (low >= high) return;
  body(Part{part.line, low, static_cast<unsigned>(low % kLineBytes), static_cast<unsigned>(high - low)}, low - address);
}

// Whether the bytes are in memory as the hooks wrote them last: then that store is done. This
// thread is about to store there, so they can be read.
bool are_stored(const Part& part) {
  const Line& line = *part.line;
  if ((line.known & part.mask()) != part.mask()) return false;
  for (unsigned i = 0; i < part.count; ++i)
    if (*reinterpret_cast<const volatile std::uint8_t*>(part.address + i) != line.bytes[part.first + i]) return false;
  return true;
}

} // namespace

bool writer_stores(const ThreadState& self, const Line& line, std::uint64_t address, std::uint64_t size) {
  const auto stores = [&](const ThreadState& other) { return is_storing(other, address, size); };
  if (line.writer == kMany) return any_other_thread(self, stores);
  const ThreadState* writer = find_thread(line.writer - 1);
  return writer != nullptr && stores(*writer);
}

Seen judge_read(ThreadState& self, const Lines& lines, std::uint64_t address, const std::uint8_t* bytes,
                std::uint64_t size) {
  Seen seen = Seen::Fits;
  lines.each([&](const Part& whole) {
    inside(whole, address, size, [&](const Part& part, std::uint64_t offset) {
      const Seen here = judge_part(self, part, bytes + offset);
      if (here > seen) seen = here;
    });
  });
  return seen;
}

void shadow_values(const Lines& lines, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  lines.each([&](const Part& whole) {
    inside(whole, address, size, [&](const Part& part, std::uint64_t offset) {
      os::copy(part.line->bytes + part.first, bytes + offset, part.count);
      part.line->known |= part.mask();
    });
  });
}

void shadow_fill(const Lines& lines, std::uint64_t address, std::uint8_t byte, std::uint64_t size) {
  lines.each([&](const Part& whole) {
    inside(whole, address, size, [&](const Part& part, std::uint64_t) {
      for (unsigned i = 0; i < part.count; ++i) {
        part.line->bytes[part.first + i] = byte;
        __asm__ volatile("" : : : "memory"); // not to become a call of memset
      }
      part.line->known |= part.mask();
    });
  });
}

bool is_shared(const ThreadState& self, const Lines& lines) {
  bool shared = false;
  lines.each(
      [&](const Part& part) { shared = shared || (part.line->toucher != 0 && part.line->toucher != mark_of(self)); });
  return shared;
}

bool has_rival(ThreadState& self, const Lines& lines) {
  bool found = false;
  lines.each([&](const Part& part) {
    found = found || (others_store(self, *part.line, part.address, part.count) && !are_stored(part));
  });
  return found;
}

void contest(ThreadState& self, const Lines& lines) {
  lines.each([&](const Part& part) {
    if (others_store(self, *part.line, part.address, part.count) && !are_stored(part))
      part.line->contested |= part.mask();
  });
}

void begin_store(ThreadState& self, const Lines& lines, const Store& store) {
  __atomic_store_n(&self.storing, store.address, __ATOMIC_RELEASE);
  __atomic_store_n(&self.storing_bytes, store.size, __ATOMIC_RELEASE);
  lines.each([&](const Part& part) {
    Line& line = *part.line;
    line.writer = others_store(self, part) ? kMany : mark_of(self);
  });
}

} // namespace sooth::runtime::observing
