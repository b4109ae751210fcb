// A runtime for the pass's tests: it checks what a hook is told and writes one line for it to the file $FAKE_LOG.
// With FAKE_CELLS=1 it keeps the cells of abi.h, so that the inlined checks have something to find; else every access
// reaches its hook. With FAKE_BYTES=1 a line `bytes r|w address size` follows for every access. Single-threaded
// programs only.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/abi.h"

#define PRESERVE_MOST __attribute__((preserve_most))

enum { kCells = 1 << 12, kFrames = 1 << 16 };
static _Alignas(16) uint8_t cells[kCells * 16 + 8];
static uint64_t frames[kFrames];
static uint64_t no_owner[1] = {~(uint64_t)0}; // nothing is owned
__attribute__((tls_model("initial-exec"))) __thread struct SoothThreadAbi __sooth_thread = {
    0, 0, (uint64_t)1 << 24, frames, frames, cells, 0, 0, (uint8_t*)no_owner, 0, 1, 0};

static FILE* out;
static const struct SoothModule* modules[64];
static unsigned module_count;
static uint32_t next_site = 1 << 16;
static int keep_cells;
static int tell_bytes;

static void line(const char* format, ...) {
  if (!out) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(out, format, arguments);
  va_end(arguments);
}

static void finish(void) {
  if (out) fclose(out);
  out = NULL;
}

static void start(void) {
  static int started;
  if (started++) return;
  const char* path = getenv("FAKE_LOG");
  if (path) out = fopen(path, "w");
  keep_cells = getenv("FAKE_CELLS") != NULL;
  tell_bytes = getenv("FAKE_BYTES") != NULL;
  if (keep_cells) __sooth_thread.cell_mask = (uint64_t)(kCells - 1) << 4;
  __sooth_thread.detail = 1;
  __sooth_thread.branches = 1;
  atexit(finish);
}

static const char* text(const struct SoothModule* m, uint32_t offset) {
  if (offset >= m->string_bytes) {
    line("ERROR string offset %u of %u\n", offset, m->string_bytes);
    return "";
  }
  return m->strings + offset;
}

void __sooth_register_module(const struct SoothModule* m) {
  start();
  if (*m->base != 0) return;
  *m->base = next_site;
  next_site += m->sites;
  modules[module_count++] = m;
  if (m->abi_version != kSoothAbiVersion) line("ERROR version %u\n", m->abi_version);
  if (m->string_bytes == 0 || m->strings[0] != 0 || m->strings[m->string_bytes - 1] != 0) line("ERROR strings\n");
  for (uint32_t i = 0; i < m->globals; ++i) {
    const struct SoothGlobalRow* g = &m->global_rows[i];
    line("global %s : %s size %llu line %u\n", text(m, g->name), text(m, g->type), (unsigned long long)g->bytes,
         g->line);
  }
}

static void place(uint32_t site) {
  for (unsigned i = 0; i < module_count; ++i) {
    const struct SoothModule* m = modules[i];
    if (site < *m->base || site - *m->base >= m->sites) continue;
    const struct SoothSiteRow* row = &m->site_rows[site - *m->base];
    const char* file = strrchr(text(m, row->file), '/');
    static const char* const names[] = {"volatile", "function",  "call",   "float", "signed",
                                        "pointer",  "bit-field", "branch", "system"};
    line(" '%s' at %s:%u in %s", text(m, row->variable), file ? file + 1 : text(m, row->file), row->line,
         text(m, row->function));
    for (unsigned bit = 0; bit < 9; ++bit)
      if (row->flags & (1u << bit)) line(" %s", names[bit]);
    line("\n");
    return;
  }
  line(" ERROR unknown site %u\n", site);
}

static void bytes_event(int write, const void* address, uint64_t size) {
  if (tell_bytes) line("bytes %c %p %llu\n", write ? 'w' : 'r', address, (unsigned long long)size);
}

// What the loop has read so far of which it was said that it will not change, until the loop's last range.
static struct LoopRead {
  const uint8_t* address;
  uint64_t size;
  uint8_t* copy;
} loop_reads[16];
static unsigned loop_read_count;
static int within_loop;

static void check_frames(void) {
  if (within_loop) line("ERROR a hook between the ranges of a loop\n");
  if (__sooth_thread.stack_top < frames || __sooth_thread.stack_top > frames + kFrames) line("ERROR stack_top\n");
  if (__sooth_thread.stack_low > __sooth_thread.stack_top) line("ERROR stack_low\n");
}

// The cells after a kept access of `size` bytes, byte by byte. Writes are left out from the second on.
static void remember(uint64_t address, uint64_t value, unsigned size, int write) {
  if (!keep_cells) return;
  for (unsigned i = 0; i < size; ++i, ++address) {
    uint8_t* cell = cells + ((address << 1) & __sooth_thread.cell_mask);
    uint32_t word[2];
    memcpy(word, cell, 8);
    const uint32_t high = (uint32_t)(address >> 15);
    const uint32_t epoch = (uint32_t)__sooth_thread.epoch;
    if (word[1] != high || (word[0] ^ epoch) >> 24 != 0) {
      word[0] = epoch | 0xffffff;
      word[1] = high;
    }
    word[0] &= ~((write ? 0x010101u : 1u) << (address & 7));
    memcpy(cell, word, 8);
    cell[8 + (address & 7)] = (uint8_t)(value >> (8 * i));
  }
}

static void access_event(const char* kind, uint64_t address, uint64_t value, unsigned size, uint32_t site, int write) {
  check_frames();
  uint64_t memory = 0;
  memcpy(&memory, (const void*)address, size);
  if (size < 8 && value >> (8 * size) != 0) line("ERROR value is not zero-extended\n");
  if (!write && memory != value)
    line("ERROR read saw %llx, memory holds %llx\n", (unsigned long long)value, (unsigned long long)memory);
  line("%s%u 0x%llx", kind, size, (unsigned long long)value);
  place(site);
  bytes_event(write, (const void*)address, size);
  remember(address, value, size, write);
}

#define ACCESSES(N)                                                                                                    \
  PRESERVE_MOST void __sooth_read##N(uint64_t address, uint64_t value, uint32_t site) {                                \
    access_event("read", address, value, N, site, 0);                                                                  \
  }                                                                                                                    \
  PRESERVE_MOST void __sooth_write##N(uint64_t address, uint64_t value, uint32_t site) {                               \
    access_event("write", address, value, N, site, 1);                                                                 \
  }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)

PRESERVE_MOST void __sooth_branch(uint32_t site, uint64_t way) {
  line("branch %llu", (unsigned long long)way);
  place(site);
}

static void range(const char* kind, const uint8_t* bytes, uint64_t size, uint32_t site) {
  check_frames();
  line("%s %llu ", kind, (unsigned long long)size);
  for (uint64_t i = 0; i < size && i < 24; ++i) line("%02x", bytes[i]);
  place(site);
}
void __sooth_read_range(const void* address, const void* bytes, uint64_t size, uint32_t site) {
  if (memcmp(address, bytes, size) != 0) line("ERROR read-range saw other bytes than memory holds\n");
  range("read-range", bytes, size, site);
  bytes_event(0, address, size);
}
void __sooth_write_range(const void* address, const void* bytes, uint64_t size, uint32_t site) {
  range("write-range", bytes, size, site);
  bytes_event(1, address, size);
}
void __sooth_copy(const void* to, const void* from, uint64_t size, uint32_t site) {
  range("copy", from, size, site);
  bytes_event(0, from, size);
  bytes_event(1, to, size);
}
void __sooth_fill(const void* to, uint32_t byte, uint64_t size, uint32_t site) {
  line("fill %llu 0x%02x", (unsigned long long)size, byte);
  place(site);
  bytes_event(1, to, size);
}
void __sooth_fence(uint32_t order, uint32_t site) {
  line("fence order %u", order);
  place(site);
}

void __sooth_loop(const void* address, uint64_t size, uint32_t element, uint32_t site, uint32_t what) {
  const int write = (what & kLoopWrite) != 0;
  within_loop = 0;
  check_frames();
  line("loop-%s %llu by %u%s%s", write ? "write" : "read", (unsigned long long)size, element,
       what & kLoopGlued ? " glued" : "", what & kLoopOpaque ? " opaque" : "");
  place(site);
  bytes_event(write, address, size);
  if (element == 0 || size == 0 || size % element != 0 || what > 7 || (write && what & kLoopOpaque))
    line("ERROR loop\n");
  if (!write && !(what & kLoopOpaque) && loop_read_count < 16) {
    struct LoopRead kept = {address, size, malloc(size)};
    memcpy(kept.copy, address, size);
    loop_reads[loop_read_count++] = kept;
  }
  within_loop = (what & kLoopGlued) != 0;
  if (within_loop) return;
  while (loop_read_count != 0) {
    struct LoopRead* kept = &loop_reads[--loop_read_count];
    if (memcmp(kept->copy, kept->address, kept->size) != 0) line("ERROR the loop changed what it read\n");
    free(kept->copy);
  }
}

__extension__ typedef unsigned __int128 uint128;
#define ATOMICS(N, type)                                                                                               \
  type __sooth_atomic_load##N(const void* p, uint32_t order, uint32_t site) {                                          \
    type value;                                                                                                        \
    memcpy(&value, p, N);                                                                                              \
    line("atomic-load%d 0x%llx order %u", N, (unsigned long long)value, order);                                        \
    place(site);                                                                                                       \
    return value;                                                                                                      \
  }                                                                                                                    \
  void __sooth_atomic_store##N(void* p, type value, uint32_t order, uint32_t site) {                                   \
    line("atomic-store%d 0x%llx order %u", N, (unsigned long long)value, order);                                       \
    place(site);                                                                                                       \
    memcpy(p, &value, N);                                                                                              \
  }                                                                                                                    \
  static int less##N(type a, type b) {                                                                                 \
    const type sign = (type)1 << (8 * N - 1);                                                                          \
    return (type)(a ^ sign) < (type)(b ^ sign);                                                                        \
  }                                                                                                                    \
  type __sooth_atomic_rmw##N(void* p, type operand, uint32_t operation, uint32_t order, uint32_t site) {               \
    type old;                                                                                                          \
    memcpy(&old, p, N);                                                                                                \
    type next = operand;                                                                                               \
    switch (operation) {                                                                                               \
    case kRmwAdd: next = old + operand; break;                                                                         \
    case kRmwSub: next = old - operand; break;                                                                         \
    case kRmwAnd: next = old & operand; break;                                                                         \
    case kRmwNand: next = (type) ~(old & operand); break;                                                              \
    case kRmwOr: next = old | operand; break;                                                                          \
    case kRmwXor: next = old ^ operand; break;                                                                         \
    case kRmwMax: next = less##N(old, operand) ? operand : old; break;                                                 \
    case kRmwMin: next = less##N(old, operand) ? old : operand; break;                                                 \
    case kRmwUMax: next = old < operand ? operand : old; break;                                                        \
    case kRmwUMin: next = old < operand ? old : operand; break;                                                        \
    default: break;                                                                                                    \
    }                                                                                                                  \
    line("atomic-rmw%d 0x%llx to 0x%llx operation %u order %u", N, (unsigned long long)old, (unsigned long long)next,  \
         operation, order);                                                                                            \
    place(site);                                                                                                       \
    memcpy(p, &next, N);                                                                                               \
    return old;                                                                                                        \
  }                                                                                                                    \
  type __sooth_atomic_cas##N(void* p, type expected, type desired, uint32_t order, uint32_t failure, uint32_t site) {  \
    type old;                                                                                                          \
    memcpy(&old, p, N);                                                                                                \
    line("atomic-cas%d 0x%llx to 0x%llx %s order %u failure %u", N, (unsigned long long)old,                           \
         (unsigned long long)desired, old == expected ? "done" : "failed", order, failure);                            \
    place(site);                                                                                                       \
    if (old == expected) memcpy(p, &desired, N);                                                                       \
    return old;                                                                                                        \
  }
ATOMICS(1, uint8_t)
ATOMICS(2, uint16_t)
ATOMICS(4, uint32_t)
ATOMICS(8, uint64_t)
ATOMICS(16, uint128)

// --- for the test programs, as weak symbols ---------------------------------------------------------------------
// Writes the shadow call stack, from the outermost function.
void fake_stack(const char* tag) {
  line("stack %s", tag);
  for (uint64_t* frame = frames; frame < __sooth_thread.stack_top; ++frame) {
    const uint32_t site = (uint32_t)*frame;
    for (unsigned i = 0; i < module_count; ++i) {
      const struct SoothModule* m = modules[i];
      if (site >= *m->base && site - *m->base < m->sites) line(" %s", text(m, m->site_rows[site - *m->base].function));
    }
  }
  line("\n");
}
// A word of the program's own in the log.
void fake_mark(const char* tag) { line("mark %s\n", tag); }
// The site of the last call.
void fake_called_from(void) {
  line("called-from");
  place(__sooth_thread.call_site);
}
// Starts a new segment: cells of older ones count no more.
void fake_segment(void) { __sooth_thread.epoch += (uint64_t)1 << 24; }
