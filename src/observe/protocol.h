// The observer's protocol as values: one structure for each message, and pure functions from and to
// bytes.
//
// Nothing from a stream is trusted: every length, count and number is checked against the bytes
// that are there and against the limits of wire.h, and a frame must be used up by its fields.
// docs/protocol.md says what the messages mean and in which order they come.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "observe/wire.h"

namespace sooth::observe {

using Session = std::array<std::uint8_t, wire::kSessionBytes>; // random; what ties the channels of a program together

// --- from the program ----------------------------------------------------------------------------

struct Hello {
  std::uint32_t version = wire::kVersion;
  wire::Role role = wire::Role::Control;
  Session session = {};
  std::string token;
  std::string program;
  std::uint32_t pid = 0;
  friend bool operator==(const Hello&, const Hello&) = default;
};
struct ModulePart {
  std::uint32_t module = 0;
  std::uint64_t offset = 0;
  std::uint64_t whole = 0;
  std::vector<std::uint8_t> bytes;
  friend bool operator==(const ModulePart&, const ModulePart&) = default;
};
struct SymbolsSent {
  std::uint32_t modules = 0;
  friend bool operator==(const SymbolsSent&, const SymbolsSent&) = default;
};
struct InitialState {
  std::vector<std::uint64_t> values; // one for each variable of the table
  friend bool operator==(const InitialState&, const InitialState&) = default;
};

struct ClockEntry {
  std::uint32_t thread = 0;
  std::uint32_t count = 0;
  friend bool operator==(const ClockEntry&, const ClockEntry&) = default;
};
struct VariableWrite {
  std::uint32_t variable = 0; // index into the table
  std::uint64_t value = 0;
  friend bool operator==(const VariableWrite&, const VariableWrite&) = default;
};
// What Event, Fork, End and Waits have in common: messages of one thread are numbered 0, 1, 2, ...
// within an epoch, and positions ascend along the observed run over all threads.
struct Place {
  std::uint32_t epoch = 0; // checkpoints so far
  std::uint32_t thread = 0;
  std::uint64_t sequence = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
struct EventMessage {
  Place place;
  std::uint64_t position = 0;
  std::uint8_t kind = 0; // trace::EventKind; 0: only order, nothing happened (docs/protocol.md, horizon)
  std::uint32_t site = 0;
  std::uint64_t happened = 0; // bit k: the table's predicate k
  std::vector<VariableWrite> writes;
  std::vector<ClockEntry> clock; // ascending threads, no zeros
  friend bool operator==(const EventMessage&, const EventMessage&) = default;
};
struct ForkMessage {
  Place place;
  std::uint32_t child = 0;
  friend bool operator==(const ForkMessage&, const ForkMessage&) = default;
};
struct EndMessage {
  Place place;
  friend bool operator==(const EndMessage&, const EndMessage&) = default;
};
struct WaitsMessage {
  Place place;
  std::uint32_t other = 0;
  friend bool operator==(const WaitsMessage&, const WaitsMessage&) = default;
};
struct ThreadAt {
  std::uint32_t thread = 0;
  std::uint64_t sent = 0; // messages of this thread in the epoch that ends
  bool alive = false;
  bool waits = false; // alive, and joining `other`
  std::uint32_t other = 0;
  friend bool operator==(const ThreadAt&, const ThreadAt&) = default;
};
struct CheckpointMessage {
  std::uint32_t epoch = 0; // the one that ends
  wire::CheckpointKind kind = wire::kReorder;
  std::uint32_t site = 0;
  std::uint32_t thread = 0;
  std::vector<ThreadAt> threads; // every thread that was there in this epoch, ascending
  friend bool operator==(const CheckpointMessage&, const CheckpointMessage&) = default;
};
struct FinishMessage {
  wire::EndKind how = wire::EndKind::Exit;
  std::int64_t value = 0;
  std::uint64_t messages = 0; // Event, Fork, End, Waits and Checkpoint messages in all
  std::uint64_t external_writes = 0;
  std::uint64_t horizons = 0;    // times that a thread was silent for so long that runs were left out
  std::uint64_t forks = 0;       // child processes, which are not observed
  std::uint64_t unsupported = 0; // calls that are not followed, and events that wrote more variables than were sent
  std::uint64_t early = 0;       // hooks that ran before the observer knew all names of the property
  std::uint64_t late_names = 0;  // threads that were named after their start had to be sent
  std::uint64_t handed_over = 0; // times that a thread learned a clock from memory that its owner may not have used
  friend bool operator==(const FinishMessage&, const FinishMessage&) = default;
};
// Everything that the program has sent up to this position must be looked at before it goes on.
struct AskMessage {
  std::uint64_t position = 0;
  friend bool operator==(const AskMessage&, const AskMessage&) = default;
};

// --- from the observer ---------------------------------------------------------------------------

struct Welcome {
  std::uint32_t version = wire::kVersion;
  friend bool operator==(const Welcome&, const Welcome&) = default;
};
struct Refused {
  std::string why;
  friend bool operator==(const Refused&, const Refused&) = default;
};
struct Later {
  std::string why;
  friend bool operator==(const Later&, const Later&) = default;
};
struct TableVariable {
  std::uint64_t address = 0; // 0 and a name: a watched one
  std::uint32_t size = 0;
  std::string watch;
  bool asks = false; // an event that writes it is followed by an Ask: a property may stop the program or call it
  friend bool operator==(const TableVariable&, const TableVariable&) = default;
};
enum class Match : std::uint8_t { Call, Return, Acquire, Release, ThreadStart, ThreadEnd, User }; // logic::EventClass
struct TablePredicate {
  Match what = Match::User;
  bool any = false;
  bool has_thread = false;
  std::uint32_t thread = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  std::string name;                 // of a user event, a thread, or a watched lock
  std::vector<std::uint32_t> sites; // of functions
  bool asks = false;
  friend bool operator==(const TablePredicate&, const TablePredicate&) = default;
};
struct Table {
  std::vector<TableVariable> variables;
  std::vector<TablePredicate> predicates;
  bool asks() const; // whether anything does
  friend bool operator==(const Table&, const Table&) = default;
};
struct Ack {
  std::uint64_t position = 0;
  friend bool operator==(const Ack&, const Ack&) = default;
};
struct Stop {
  std::string why;
  friend bool operator==(const Stop&, const Stop&) = default;
};
struct Call {
  std::string function; // as it is registered
  std::string property;
  std::string text; // of its entry
  std::string file; // of the event
  std::uint32_t line = 0;
  friend bool operator==(const Call&, const Call&) = default;
};

using Message =
    std::variant<Hello, ModulePart, SymbolsSent, InitialState, EventMessage, ForkMessage, EndMessage, WaitsMessage,
                 CheckpointMessage, FinishMessage, AskMessage, Welcome, Refused, Later, Table, Ack, Stop, Call>;

// The body of one frame. The error says which message is wrong.
Result<Message> decode(std::span<const std::uint8_t> body);
// A whole frame, its length included. Empty if the message is larger than a frame may be.
std::vector<std::uint8_t> encode(const Message& message);

// Cuts a stream into frames. Bytes come in whatever pieces the network makes of them.
class Frames {
public:
  void add(std::span<const std::uint8_t> bytes);
  // The next whole frame's body, good until the next call of `add`; nothing if it has not all
  // arrived; an error if it is empty or longer than `most`.
  Result<std::optional<std::span<const std::uint8_t>>> next(std::size_t most = wire::kMaxFrame);
  // Bytes that came and belong to no whole frame.
  std::size_t left() const { return bytes_.size() - used_; }

private:
  std::vector<std::uint8_t> bytes_;
  std::size_t used_ = 0;
};

} // namespace sooth::observe
