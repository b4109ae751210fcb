#include "capture/runtime/recording/file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <linux/falloc.h>
#include <sys/uio.h>

#include "capture/runtime/os.h"
#include "capture/runtime/record.h"

namespace sooth::runtime {
namespace {

alignas(4096) std::uint8_t g_spare_page[trace::kHeaderBytes];
int g_file = -1;
std::uint32_t g_flags; // FileFlags of this file, and of those that children of a fork will write

std::uint64_t g_end; // of the space that was allotted

// Allots space at the end of the file. Relaxed: each number goes to one thread only, and publishes
// nothing else.
std::uint64_t allot(std::uint64_t bytes) { return __atomic_fetch_add(&g_end, bytes, __ATOMIC_RELAXED); }

// The first page says how far the file reached, so that a reader knows if the file was cut. Space
// whose chunk is not there yet does not count: the process may end before that.
void reached(std::uint64_t end) {
  std::uint64_t before = __atomic_load_n(&g_header->file_end, __ATOMIC_RELAXED);
  while (before < end &&
         !__atomic_compare_exchange_n(&g_header->file_end, &before, end, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// A write behind the limit of file sizes would be a SIGXFSZ, and the end of the program.
bool is_within_limit(std::uint64_t end) {
  struct {
    std::uint64_t now, most;
  } limit = {};
  constexpr long kFileSize = 1; // RLIMIT_FSIZE
  return os::failed(os::call(SYS_prlimit64, 0, kFileSize, 0, reinterpret_cast<long>(&limit))) || end <= limit.now;
}

bool write_all(const iovec* pieces, int n, std::uint64_t offset, std::uint64_t bytes) {
  if (!is_within_limit(offset + bytes)) {
    count(Defect::WriteErrors);
    return false;
  }
  long done = -EINTR;
  while (done == -EINTR)
    done = os::call(SYS_pwritev, g_file, reinterpret_cast<long>(pieces), n, static_cast<long>(offset), 0);
  if (done >= 0 && static_cast<std::uint64_t>(done) == bytes) return true;
  count(Defect::WriteErrors);
  return false;
}

// Reserves this part of the file on disk: a full disk is an error here rather than a SIGBUS in the
// middle of the program.
bool reserve_on_disk(std::uint64_t offset, std::uint64_t bytes) {
  if (!is_within_limit(offset + bytes)) return false;
  long done = -EINTR; // some file systems give up at any signal
  while (done == -EINTR) done = os::call(SYS_fallocate, g_file, 0, static_cast<long>(offset), static_cast<long>(bytes));
  if (!os::failed(done)) return true;
  if (done != -EOPNOTSUPP && done != -ENOSYS && done != -EINVAL) return false;
  static constexpr std::uint8_t kZeros[4096] = {};
  for (std::uint64_t at = 0; at < bytes; at += sizeof kZeros) {
    const iovec piece = {const_cast<std::uint8_t*>(kZeros), bytes - at < sizeof kZeros ? bytes - at : sizeof kZeros};
    if (!write_all(&piece, 1, offset + at, piece.iov_len)) return false;
  }
  return true;
}

void seal(trace::ChunkHeader& header) { header.header_checksum = XXH3_64bits(&header, sizeof header - 8); }

// Bytes between two chunks that nothing needs.
void write_pad(std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) return;
  trace::ChunkHeader header = {};
  header.magic = trace::kChunkMagic;
  header.type = static_cast<std::uint32_t>(trace::ChunkType::Pad);
  header.body_bytes = bytes - sizeof header;
  seal(header);
  const iovec piece = {&header, sizeof header};
  write_all(&piece, 1, offset, sizeof header);
  if (header.body_bytes == 0) return;
  const std::uint8_t zero = 0; // if this is the end of the file, the file has to reach so far
  const iovec last = {const_cast<std::uint8_t*>(&zero), 1};
  write_all(&last, 1, offset + bytes - 1, 1);
}

} // namespace

trace::FileHeader* g_header = reinterpret_cast<trace::FileHeader*>(g_spare_page);

bool file_is_open() { return g_file >= 0; }

namespace {

bool use_file(long file) {
  // Out of the way of programs that count on getting small descriptors.
  const long high = os::call(SYS_fcntl, file, F_DUPFD_CLOEXEC, 800);
  g_file = static_cast<int>(os::failed(high) ? file : high);
  if (!os::failed(high)) os::call(SYS_close, file);
  void* page = reserve_on_disk(0, trace::kHeaderBytes) ? os::map_file(g_file, 0, trace::kHeaderBytes) : nullptr;
  if (page == nullptr) {
    os::call(SYS_close, g_file);
    g_file = -1;
    return false;
  }
  g_header = static_cast<trace::FileHeader*>(page);
  g_header->version = trace::kFormatVersion;
  g_header->pid = static_cast<std::uint32_t>(os::pid());
  g_header->parent_pid = static_cast<std::uint32_t>(os::call(SYS_getppid));
  g_header->start_time_ns = os::now_ns();
  g_header->file_end = g_end = trace::kHeaderBytes;
  g_header->flags = g_flags;
  g_header->magic = trace::kFileMagic; // last: a file with its magic has a whole header
  return true;
}

} // namespace

void set_file_flag(trace::FileFlags flag, bool on) {
  g_header->flags = g_flags = on ? g_flags | flag : g_flags & ~std::uint32_t{flag};
}

bool open_file(const char* path) {
  const long file = os::call(SYS_openat, AT_FDCWD, reinterpret_cast<long>(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                             0600); // it holds the program's memory
  if (os::failed(file)) return false;
  if (use_file(file)) return true;
  os::call(SYS_unlinkat, AT_FDCWD, reinterpret_cast<long>(path), 0); // it has no room even for its first page
  return false;
}

bool open_memory_file() {
  const long file = os::call(SYS_memfd_create, reinterpret_cast<long>("sooth"), 1 /* MFD_CLOEXEC */);
  return !os::failed(file) && use_file(file);
}

void abandon_file() {
  if (g_file >= 0) {
    os::call(SYS_close, g_file);
    os::give_back(g_header, trace::kHeaderBytes);
  }
  g_file = -1;
  os::zero(g_spare_page, sizeof g_spare_page);
  g_header = reinterpret_cast<trace::FileHeader*>(g_spare_page);
}

bool write_chunk(trace::ChunkType type, const void* body, std::size_t bytes, std::size_t raw_bytes,
                 std::uint32_t thread, std::uint32_t slots, std::uint64_t first_slot) {
  if (g_file < 0) return false;
  trace::ChunkHeader header = {};
  header.magic = trace::kChunkMagic;
  header.type = static_cast<std::uint32_t>(type);
  header.body_bytes = bytes;
  header.raw_bytes = raw_bytes;
  header.thread = thread;
  header.count = slots;
  header.first_slot = first_slot;
  header.body_checksum = XXH3_64bits(body, bytes);
  seal(header);
  static constexpr std::uint8_t kZeros[trace::kChunkAlign] = {};
  const std::size_t total = trace::round_up(sizeof header + bytes, trace::kChunkAlign);
  const iovec pieces[3] = {{&header, sizeof header},
                           {const_cast<void*>(body), bytes},
                           {const_cast<std::uint8_t*>(kZeros), total - sizeof header - bytes}};
  const std::uint64_t offset = allot(total);
  if (!write_all(pieces, 3, offset, total)) return false;
  reached(offset + total);
  return true;
}

trace::ChunkHeader* map_live(std::size_t bytes, std::uint64_t& offset) {
  if (g_file < 0) return nullptr;
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t start = allot(bytes + kPage);
  offset = trace::round_up(start, kPage);
  const std::uint64_t end = start + bytes + kPage;
  if (!reserve_on_disk(offset, bytes)) {
    count(Defect::WriteErrors);
    return nullptr;
  }
  write_pad(start, offset - start);
  write_pad(offset + bytes, end - offset - bytes);
  auto* header = static_cast<trace::ChunkHeader*>(os::map_file(g_file, offset, bytes));
  if (header == nullptr) return nullptr;
  header->type = static_cast<std::uint32_t>(trace::ChunkType::Live);
  header->body_bytes = header->raw_bytes = bytes - sizeof *header;
  header->magic = trace::kChunkMagic;
  reached(end);
  return header;
}

void punch(std::uint64_t offset, std::size_t bytes) {
  constexpr std::uint64_t kPage = 4096; // the header's page stays
  os::call(SYS_fallocate, g_file, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, static_cast<long>(offset + kPage),
           static_cast<long>(bytes - kPage));
}

} // namespace sooth::runtime
