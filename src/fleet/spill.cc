#include "fleet/spill.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <xxhash.h>

namespace sooth::fleet {
namespace {

bool write_at(int file, std::span<const std::uint8_t> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool read_at(int file, std::span<std::uint8_t> bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t n = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
  return true;
}

} // namespace

Result<std::unique_ptr<Spill>> Spill::open(const std::string& path, std::uint64_t most_bytes) {
  const auto wrong = [&](const char* what) {
    return Error{fmt::format("{}: {}: {}.", path, what, std::strerror(errno)), "", 0, 0};
  };
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return wrong("cannot spill records there");
  std::unique_ptr<Spill> out(new Spill(file, most_bytes));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return wrong("another relay uses it");
  struct stat info = {};
  if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return wrong("it is no ordinary file");
  out->written_ = static_cast<std::uint64_t>(info.st_size);
  return out;
}

Spill::~Spill() { ::close(file_); }

bool Spill::put(const Bytes& record) {
  Bytes whole(kHeader);
  const auto length = static_cast<std::uint32_t>(record.size());
  const std::uint64_t checksum = XXH3_64bits(record.data(), record.size());
  std::memcpy(whole.data(), &length, sizeof length);
  std::memcpy(whole.data() + sizeof length, &checksum, sizeof checksum);
  whole.insert(whole.end(), record.begin(), record.end());
  if (!write_at(file_, whole, written_)) return false;
  written_ += whole.size();
  return true;
}

std::optional<Bytes> Spill::take() {
  if (empty()) return std::nullopt;
  std::array<std::uint8_t, kHeader> header = {};
  std::uint32_t length = 0;
  std::uint64_t checksum = 0;
  Bytes record;
  bool good = written_ - read_ >= kHeader && read_at(file_, header, read_);
  std::memcpy(&length, header.data(), sizeof length);
  std::memcpy(&checksum, header.data() + sizeof length, sizeof checksum);
  good = good && length <= kMostRecord && length <= written_ - read_ - kHeader;
  if (good) {
    record.resize(length);
    good = read_at(file_, record, read_ + kHeader) && XXH3_64bits(record.data(), record.size()) == checksum;
  }
  if (!good) { // the rest cannot be found
    read_ = written_;
    return std::nullopt;
  }
  read_ += kHeader + length;
  return record;
}

void Spill::settled() {
  if (!empty() || written_ == 0) return;
  if (::ftruncate(file_, 0) != 0) return;
  read_ = written_ = 0;
}

} // namespace sooth::fleet
