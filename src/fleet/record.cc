#include "fleet/record.h"

#include <algorithm>
#include <type_traits>

#include <sys/random.h>

#include <fmt/format.h>

#include "observe/wire.h"

namespace sooth::fleet {
namespace {

namespace wire = observe::wire;

// "SFR", then the version: not what any other tool stores by accident.
constexpr std::array<std::uint8_t, 3> kMagic = {'S', 'F', 'R'};

enum class Kind : std::uint8_t { Announcement = 1, Frames = 2, End = 3, Alive = 4 };

// Nobody has so many records; sums of numbers below it do not overflow.
constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 60;

void put_number(Bytes& out, std::uint64_t value) {
  std::uint8_t room[wire::kMaxNumber];
  wire::Out number{room, room + sizeof room};
  number.number(value);
  out.insert(out.end(), room, number.at);
}
void put_text(Bytes& out, const std::string& text) {
  const std::size_t n = std::min(text.size(), wire::kMaxText);
  put_number(out, n);
  out.insert(out.end(), text.begin(), text.begin() + static_cast<std::ptrdiff_t>(n));
}
void put_id(Bytes& out, const ProgramId& id) { out.insert(out.end(), id.bytes.begin(), id.bytes.end()); }

std::string take_text(wire::In& in) {
  const auto n = static_cast<std::size_t>(in.number(wire::kMaxText));
  const std::uint8_t* bytes = in.bytes(n);
  return bytes != nullptr ? std::string(reinterpret_cast<const char*>(bytes), n) : std::string();
}
ProgramId take_id(wire::In& in) {
  ProgramId id;
  if (const std::uint8_t* bytes = in.bytes(id.bytes.size())) std::copy_n(bytes, id.bytes.size(), id.bytes.begin());
  return id;
}

Announcement take_announcement(wire::In& in) {
  Announcement out;
  out.id = take_id(in);
  out.relay = take_text(in);
  out.program = take_text(in);
  out.pid = static_cast<std::uint32_t>(in.number(0xffffffff));
  out.property_name = take_text(in);
  const std::size_t n = in.left();
  if (const std::uint8_t* text = in.bytes(n)) out.property_text.assign(reinterpret_cast<const char*>(text), n);
  return out;
}
FramesRecord take_frames(wire::In& in) {
  FramesRecord out;
  out.id = take_id(in);
  out.number = in.number(kMostNumber);
  out.channel = static_cast<std::uint32_t>(in.number(0xffffffff));
  const std::size_t n = in.left();
  if (const std::uint8_t* bytes = in.bytes(n)) out.frames.assign(bytes, bytes + n);
  return out;
}
AliveRecord take_alive(wire::In& in) {
  AliveRecord out;
  out.relay = take_text(in);
  const std::size_t count = in.count(ProgramId{}.bytes.size());
  if (count > kMostAlive) in.ok = false;
  for (std::size_t i = 0; in.ok && i < count; ++i) out.programs.push_back(take_id(in));
  return out;
}

void put(Bytes& out, const Announcement& record) {
  put_id(out, record.id);
  put_text(out, record.relay);
  put_text(out, record.program);
  put_number(out, record.pid);
  put_text(out, record.property_name);
  out.insert(out.end(), record.property_text.begin(), record.property_text.end());
}
void put(Bytes& out, const FramesRecord& record) {
  put_id(out, record.id);
  put_number(out, record.number);
  put_number(out, record.channel);
  out.insert(out.end(), record.frames.begin(), record.frames.end());
}
void put(Bytes& out, const EndRecord& record) {
  put_id(out, record.id);
  put_number(out, record.records);
}
void put(Bytes& out, const AliveRecord& record) {
  put_text(out, record.relay);
  put_number(out, record.programs.size());
  for (const ProgramId& id : record.programs) put_id(out, id);
}

Error wrong(std::string sentence) { return {std::move(sentence), "", 0, 0}; }

} // namespace

std::string ProgramId::text() const {
  std::string out;
  for (const std::uint8_t byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

ProgramId random_id() {
  ProgramId id;
  std::size_t have = 0;
  while (have < id.bytes.size()) {
    const ssize_t n = ::getrandom(id.bytes.data() + have, id.bytes.size() - have, 0);
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  return id;
}

Result<ProgramId> parse_id(const std::string& text) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  ProgramId id;
  if (text.size() != 2 * id.bytes.size()) return wrong("a program's id has 32 digits.");
  for (std::size_t i = 0; i < id.bytes.size(); ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return wrong("a program's id is hexadecimal.");
    id.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return id;
}

Result<Record> decode_record(std::span<const std::uint8_t> bytes) {
  wire::In in{bytes.data(), bytes.data() + bytes.size()};
  for (const std::uint8_t magic : kMagic)
    if (in.byte() != magic) return wrong("bytes that are no record of a relay.");
  if (const std::uint8_t version = in.byte(); version != kRecordVersion)
    return wrong(fmt::format("a record of version {}; this is version {}.", version, kRecordVersion));
  const std::uint8_t kind = in.byte();
  Record record;
  switch (static_cast<Kind>(kind)) {
  case Kind::Announcement: record = take_announcement(in); break;
  case Kind::Frames: record = take_frames(in); break;
  case Kind::End: record = EndRecord{take_id(in), in.number(kMostNumber)}; break;
  case Kind::Alive: record = take_alive(in); break;
  default: return wrong(fmt::format("a record of unknown kind {}.", kind));
  }
  if (!in.ok || in.left() != 0) return wrong(fmt::format("a record of kind {} with wrong fields.", kind));
  return record;
}

Bytes encode_record(const Record& record) {
  Bytes out(kMagic.begin(), kMagic.end());
  out.push_back(kRecordVersion);
  out.push_back(static_cast<std::uint8_t>(record.index() + 1)); // Kind has the variant's order
  std::visit([&](const auto& r) { put(out, r); }, record);
  if (out.size() > kMostRecord) out.clear();
  return out;
}

} // namespace sooth::fleet
