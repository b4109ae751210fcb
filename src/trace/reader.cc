#include "trace/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "trace/chunk_scan.h"
#include "trace/pieces.h"

namespace sooth::trace {
namespace {

class File {
public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  bool status(struct stat& out) const { return fstat(descriptor_, &out) == 0; }
  // Reads up to `size` bytes; fewer only at the end of the file. Negative: errno says why.
  std::int64_t read_at(std::uint8_t* out, std::size_t size, std::uint64_t offset) const {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t n = pread(descriptor_, out + done, size - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return -1;
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return static_cast<std::int64_t>(done);
  }

private:
  int descriptor_;
};

Error system_error(const std::string& path, const std::string& what) {
  return {what + ": " + std::strerror(errno), path};
}

// A running program may have changed a Live buffer while it was copied. Then a slot can be finished
// in the copy, with old first words. A slot that was finished then is whole now. So such slots are
// copied again, and only these are used.
void settle_live_buffers(const File& file, std::vector<std::uint8_t>& bytes, const std::vector<Chunk>& chunks) {
  for (const Chunk& chunk : chunks) {
    if (chunk.header.type != static_cast<std::uint32_t>(ChunkType::Live)) continue;
    const std::size_t finished = finished_slots(chunk.body) * sizeof(RawEvent);
    std::vector<std::uint8_t> again(sizeof(ChunkHeader) + finished);
    ChunkHeader now;
    if (file.read_at(again.data(), again.size(), chunk.offset) != static_cast<std::int64_t>(again.size())) continue;
    std::memcpy(&now, again.data(), sizeof now);
    std::uint8_t* body = bytes.data() + chunk.offset + sizeof now;
    // If the buffer was written out in the meantime, it holds other events now, and its copy cannot
    // be confirmed.
    const bool same = now.first_slot == chunk.header.first_slot && now.thread == chunk.header.thread &&
                      now.state == chunk.header.state;
    if (same) std::memcpy(body, again.data() + sizeof now, finished);
    if (finished < chunk.body.size()) std::memset(body + finished, 0, chunk.body.size() - finished);
  }
}

Result<FileHeader> check_header(std::span<const std::uint8_t> file) {
  FileHeader header;
  if (file.size() < sizeof header.magic)
    return Error{"this is not a Sooth trace: it has only " + std::to_string(file.size()) + " bytes"};
  std::memcpy(&header.magic, file.data(), sizeof header.magic);
  if (header.magic != kFileMagic) return Error{"this is not a Sooth trace: it does not begin as one"};
  if (file.size() < sizeof header)
    return Error{"this Sooth trace ends inside its first page, at offset " + hexadecimal(file.size())};
  std::memcpy(&header, file.data(), sizeof header);
  if (header.version != kFormatVersion) {
    return Error{"this Sooth trace has format version " + std::to_string(header.version) +
                 "; this program reads version " + std::to_string(kFormatVersion)};
  }
  return header;
}

Trace all_of(Pieces& pieces) {
  Trace out;
  pieces.next(std::numeric_limits<std::size_t>::max(), 0, out);
  return out;
}

} // namespace

Result<std::unique_ptr<Pieces>> open_trace(const std::string& path, const ReadOptions& options) {
  const File file(path);
  if (!file.is_open()) return system_error(path, "cannot open");
  struct stat status = {};
  if (!file.status(status)) return system_error(path, "cannot look at");
  if (!S_ISREG(status.st_mode)) return Error{"this is not a file", path};
  // A copy, not a mapping: a mapped file that gets shorter kills its reader.
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(status.st_size));
  const std::int64_t size = file.read_at(bytes.data(), bytes.size(), 0);
  if (size < 0) return system_error(path, "cannot read");
  bytes.resize(static_cast<std::size_t>(size));
  Result<FileHeader> header = check_header(bytes);
  if (!header) return Error{header.error().message, path};
  ScanResult scan = scan_chunks(bytes);
  settle_live_buffers(file, bytes, scan.chunks);
  return std::make_unique<Pieces>(*header, std::move(scan), std::move(bytes), static_cast<std::uint64_t>(size),
                                  options);
}

Result<Trace> read_trace(const std::string& path, const ReadOptions& options) {
  auto pieces = open_trace(path, options);
  if (!pieces) return pieces.error();
  return all_of(**pieces);
}

Result<Trace> read_trace_bytes(std::span<const std::uint8_t> file, const ReadOptions& options) {
  Result<FileHeader> header = check_header(file);
  if (!header) return header.error();
  Pieces pieces(*header, scan_chunks(file), {}, file.size(), options);
  return all_of(pieces);
}

} // namespace sooth::trace
