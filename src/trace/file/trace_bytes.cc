#include "trace/file/trace_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sooth::trace {

std::span<const std::uint8_t> BytesInMemory::at(std::uint64_t offset, std::uint64_t size) {
  if (offset >= size_) return {};
  return bytes_.subspan(offset, std::min(size, size_ - offset));
}

bool BytesInMemory::read(std::uint64_t offset, std::span<std::uint8_t> out) {
  const std::span<const std::uint8_t> there = at(offset, out.size());
  if (there.size() < out.size()) return false;
  std::ranges::copy(there, out.begin());
  return true;
}

// A pipe without a writer must not hold the tool; for regular files O_NONBLOCK changes nothing.
BytesOfFile::BytesOfFile(const std::string& path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}

BytesOfFile::~BytesOfFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool BytesOfFile::measure(bool& regular) {
  struct stat status = {};
  if (fstat(descriptor_, &status) != 0) return false;
  regular = S_ISREG(status.st_mode);
  size_ = static_cast<std::uint64_t>(status.st_size);
  return true;
}

void BytesOfFile::grow() {
  const std::uint64_t before = size_;
  bool regular = false;
  if (!measure(regular) || size_ < before) size_ = before; // reading will notice that bytes are missing
}

std::size_t BytesOfFile::read_some(std::uint64_t offset, std::span<std::uint8_t> out) const {
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t n = pread(descriptor_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return done;
}

std::span<const std::uint8_t> BytesOfFile::at(std::uint64_t offset, std::uint64_t size) {
  if (offset >= size_) return {};
  size = std::min(size, size_ - offset);
  if (offset < window_offset_ || offset + size > window_offset_ + window_size_) {
    window_.resize(std::min(std::max(size, kWindow), size_ - offset));
    window_offset_ = offset;
    window_size_ = read_some(offset, window_);
    if (window_size_ < window_.size()) size_ = offset + window_size_; // somebody cut it off meanwhile
  }
  const std::uint64_t skipped = offset - window_offset_;
  return std::span(window_).subspan(skipped, std::min(size, window_size_ - std::min(window_size_, skipped)));
}

std::uint64_t BytesOfFile::data_from(std::uint64_t offset) {
  if (offset >= size_) return size_;
  const off_t data = lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? size_ : offset; // nothing but a hole follows, or nobody knows
  return std::min(static_cast<std::uint64_t>(data), size_);
}

bool BytesOfFile::read(std::uint64_t offset, std::span<std::uint8_t> out) {
  return read_some(offset, out) == out.size();
}

} // namespace sooth::trace
