// The observer's protocol, as bytes (docs/protocol.md). The runtime, inside the user's program, and
// the observer share only this. It needs nothing but <cstdint>, and calls nothing.
//
//     stream = frame*            frame = length (4 bytes, little-endian) , body
//     body   = type (1 byte) , fields
//
// A field is a number (LEB128, at most 10 bytes) or a text (its length as a number, then its
// bytes).
#pragma once

#include <cstddef>
#include <cstdint>

namespace sooth::observe::wire {

inline constexpr std::uint64_t kMagic = 0x3172'6573'626f'68fe; // fe 'h' 'o' 'b' 's' 'e' 'r' '1'
inline constexpr std::uint32_t kVersion = 4;
inline constexpr std::size_t kLengthBytes = 4;
inline constexpr std::size_t kMaxFrame = std::size_t{1} << 20; // of a body; a longer one is not believed
inline constexpr std::size_t kMaxText = 4096;                  // of tokens, names and sentences
inline constexpr std::size_t kMaxHello = 3 * kMaxText;         // of a body before the sender is known
inline constexpr std::size_t kModulePart = std::size_t{1} << 18;
inline constexpr std::size_t kSessionBytes = 16;

enum class Type : std::uint8_t {
  // From the program.
  Hello = 1,      // magic, version, role, session, token, program, pid
  Module = 2,     // module's number, offset of the part, bytes of the whole; the part
  Symbols = 3,    // all modules so far were sent; how many
  Initial = 4,    // values of the table's variables
  Event = 5,      // a relevant event
  Fork = 6,       // thread, sequence, position, child
  End = 7,        // thread, sequence
  Waits = 8,      // thread, sequence, other
  Checkpoint = 9, // the order of racing accesses was found wrong: see docs/protocol.md
  Finish = 10,    // the program ends: how, with what; messages sent in all; what was not followed
  Ask = 11,       // position of the newest event: what is to be done?
  // From the observer.
  Welcome = 64, // version
  Refused = 65, // sentence
  Later = 66,   // the property's names are not all known yet: sentence
  Table = 67,   // what is relevant
  Ack = 68,     // position that was asked with: the program may go on
  Stop = 69,    // sentence
  Call = 70,    // a function by its name, and why; an Ack follows
};

enum class Role : std::uint8_t { Control = 0, Data = 1 };

enum CheckpointKind : std::uint8_t {
  kReorder = 0, // a read came before a write that was sent first: go on from the observed run alone
  kGiveUp = 1,  // no order explains what was read: nothing after this can be predicted
};

enum class EndKind : std::uint8_t { Exit = 1, QuickExit = 2, Exec = 3, Signal = 4 }; // as in trace/format.h

inline constexpr std::size_t kMaxNumber = 10; // bytes of one

// Writes fields to [at, end). When there is no room, `ok` becomes false and nothing more is
// written.
struct Out {
  std::uint8_t* at;
  std::uint8_t* end;
  bool ok = true;

  void byte(std::uint8_t value) {
    if (at == end) ok = false;
    if (ok) *at++ = value;
  }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void bytes(const void* from, std::size_t n) {
    if (static_cast<std::size_t>(end - at) < n) ok = false;
    if (!ok) return;
    const auto* in = static_cast<const volatile std::uint8_t*>(from); // volatile: not to become a call of memcpy
    for (std::size_t i = 0; i < n; ++i) *at++ = in[i];
  }
  void text(const char* from, std::size_t n) {
    number(n);
    bytes(from, n);
  }
};

// Reads fields from [at, end). When there is none, or a wrong one, `ok` becomes false and every
// further answer is 0.
struct In {
  const std::uint8_t* at;
  const std::uint8_t* end;
  bool ok = true;

  std::size_t left() const { return static_cast<std::size_t>(end - at); }
  std::uint8_t byte() {
    if (at == end) ok = false;
    return ok ? *at++ : 0;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      if (shift == 63 && next > 1) ok = false; // more than 64 bits
      value |= std::uint64_t{next & 0x7fu} << (shift & 63);
      if ((next & 0x80) == 0) return ok ? value : 0;
    }
    ok = false;
    return 0;
  }
  // A number of at most `most`.
  std::uint64_t number(std::uint64_t most) {
    const std::uint64_t value = number();
    if (value > most) ok = false;
    return ok ? value : 0;
  }
  const std::uint8_t* bytes(std::size_t n) {
    if (n > left()) ok = false;
    if (!ok) return nullptr;
    const std::uint8_t* here = at;
    at += n;
    return here;
  }
  // How many rows follow, each of at least `smallest` bytes: a count that the bytes at hand cannot
  // hold is wrong.
  std::size_t count(std::size_t smallest) {
    const std::uint64_t n = number();
    if (n > left() / smallest) ok = false;
    return ok ? static_cast<std::size_t>(n) : 0;
  }
};

inline void put_length(std::uint8_t* at, std::size_t length) {
  for (unsigned i = 0; i < kLengthBytes; ++i) at[i] = static_cast<std::uint8_t>(length >> (8 * i));
}
inline std::size_t length_at(const std::uint8_t* at) {
  std::size_t length = 0;
  for (unsigned i = 0; i < kLengthBytes; ++i) length |= static_cast<std::size_t>(at[i]) << (8 * i);
  return length;
}

} // namespace sooth::observe::wire
