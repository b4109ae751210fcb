// Records: what a relay puts into the stream, as values, and pure functions from and to bytes.
//
//     announcement          a program has come: its name, and its property
//     frames 0, 1, 2, ...   the program's messages, framed as they came (docs/protocol.md)
//     end                   how many records of frames there are; stored after all of them
//     alive                 the programs that a relay has now; not stored
//
// Nothing from a stream is trusted: as in observe/protocol.h, every length and count is checked
// against the bytes that are there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace sooth::fleet {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kRecordVersion = 1;
// Of a record; NATS servers take 1 MiB unless configured otherwise, and headers are part of it.
inline constexpr std::size_t kMostRecord = 1'000'000;
inline constexpr std::size_t kMostAlive = 4096; // programs in one record of them

// Made by the relay, at random: a program cannot choose the name under which it is stored.
struct ProgramId {
  std::array<std::uint8_t, 16> bytes = {};
  std::string text() const; // 32 hexadecimal digits
  friend auto operator<=>(const ProgramId&, const ProgramId&) = default;
};
ProgramId random_id();
Result<ProgramId> parse_id(const std::string& text);

struct Announcement {
  ProgramId id;
  std::string relay;
  std::string program;
  std::uint32_t pid = 0;
  std::string property_name;
  std::string property_text;
  friend bool operator==(const Announcement&, const Announcement&) = default;
};
struct FramesRecord {
  ProgramId id;
  std::uint64_t number = 0;  // 0, 1, 2, ... over all channels
  std::uint32_t channel = 0; // that the frames came on
  Bytes frames;              // whole ones
  friend bool operator==(const FramesRecord&, const FramesRecord&) = default;
};
struct EndRecord {
  ProgramId id;
  std::uint64_t records = 0; // of frames
  friend bool operator==(const EndRecord&, const EndRecord&) = default;
};
struct AliveRecord {
  std::string relay;
  std::vector<ProgramId> programs;
  friend bool operator==(const AliveRecord&, const AliveRecord&) = default;
};

using Record = std::variant<Announcement, FramesRecord, EndRecord, AliveRecord>;

Result<Record> decode_record(std::span<const std::uint8_t> bytes);
// Empty if it is larger than a record may be.
Bytes encode_record(const Record& record);

} // namespace sooth::fleet
