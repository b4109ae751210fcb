// The bytes of a trace file: in memory, or read from the file when they are needed.
//
// A file is read, not mapped: a mapped file that gets shorter kills its reader. And it is never in
// memory as a whole: most of a long trace is read chunk by chunk, each time that it is decoded.
// Cost: one window of kWindow bytes, or of the largest single request.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sooth::trace {

class TraceBytes {
public:
  virtual ~TraceBytes() = default;
  // `size` bytes from `offset` on; fewer if the file ends before, or cannot be read. Good until the
  // next call.
  virtual std::span<const std::uint8_t> at(std::uint64_t offset, std::uint64_t size) = 0;
  // The same into `out`, for places all over the file: nothing else is read ahead. False: there are
  // fewer.
  virtual bool read(std::uint64_t offset, std::span<std::uint8_t> out) = 0;
  // The first place from `offset` on that is not known to be a hole of a sparse file, or size().
  virtual std::uint64_t data_from(std::uint64_t offset) { return offset; }
  // How much of the file may be looked at.
  std::uint64_t size() const { return size_; }
  // ... now: the program that writes it may still be running.
  virtual void grow() {}

protected:
  std::uint64_t size_ = 0;
};

class BytesInMemory : public TraceBytes {
public:
  explicit BytesInMemory(std::span<const std::uint8_t> bytes) : bytes_(bytes) { size_ = bytes.size(); }
  std::span<const std::uint8_t> at(std::uint64_t offset, std::uint64_t size) override;
  bool read(std::uint64_t offset, std::span<std::uint8_t> out) override;

private:
  std::span<const std::uint8_t> bytes_;
};

class BytesOfFile : public TraceBytes {
public:
  explicit BytesOfFile(const std::string& path);
  ~BytesOfFile() override;
  BytesOfFile(const BytesOfFile&) = delete;
  BytesOfFile& operator=(const BytesOfFile&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  // The file's present length becomes size(). False: it is no regular file, or errno says why not.
  bool measure(bool& regular);

  std::span<const std::uint8_t> at(std::uint64_t offset, std::uint64_t size) override;
  bool read(std::uint64_t offset, std::span<std::uint8_t> out) override;
  std::uint64_t data_from(std::uint64_t offset) override;
  void grow() override;

private:
  static constexpr std::uint64_t kWindow = 1 << 18;
  std::size_t read_some(std::uint64_t offset, std::span<std::uint8_t> out) const;

  int descriptor_;
  std::vector<std::uint8_t> window_;
  std::uint64_t window_offset_ = 0, window_size_ = 0;
};

} // namespace sooth::trace
