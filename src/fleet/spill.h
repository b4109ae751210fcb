// Records that wait on disk because the stream takes no more: first in, first out, in one file.
//
//     file = record*      record = length (4 bytes), checksum (8 bytes), bytes
//
// A relay that was killed leaves its file behind, and its successor stores what is in it: repeats
// are harmless. A record that is cut off or damaged ends the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "fleet/record.h"

namespace sooth::fleet {

class Spill {
public:
  // The file is ours alone: another relay cannot open it meanwhile.
  static Result<std::unique_ptr<Spill>> open(const std::string& path, std::uint64_t most_bytes);
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  bool has_room(std::size_t bytes) const { return written_ + bytes + kHeader <= most_bytes_; }
  bool empty() const { return read_ == written_; }
  bool put(const Bytes& record); // false: the disk does not take it
  std::optional<Bytes> take();   // the oldest that was not taken
  // Everything that was taken is stored: if nothing else waits, the file starts anew.
  void settled();

private:
  static constexpr std::size_t kHeader = 12;
  Spill(int file, std::uint64_t most_bytes) : file_(file), most_bytes_(most_bytes) {}

  int file_;
  std::uint64_t most_bytes_;
  std::uint64_t read_ = 0, written_ = 0; // bytes
};

} // namespace sooth::fleet
