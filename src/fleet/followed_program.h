// One program as it is read from the stream: its records, in any order and as often as they come,
// become the messages of an observed program. No network here, so that tests and fuzzers can send
// anything.
//
//     0 1 3 2 2 end(4)   ->   0 1 2 3, all there
//     0 1 3 end(4)       ->   0 1 3, and the verdict says that record 2 was lost
//
// A relay stores a program's end after everything else of it, so a record that is missing at the
// end does not come any more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/result.h"
#include "fleet/record.h"
#include "observe/program.h"

namespace sooth::fleet {

// Records that a relay may have under way at a time. Further ahead than this none is out of order:
// what is between has been lost.
inline constexpr std::uint64_t kMostUnderWay = 256;

class FollowedProgram {
public:
  FollowedProgram(const Announcement& announcement, const observe::ProgramOptions& options, observe::Speaker speaker);

  // A record of this program's subject. An error: it is refused and changed nothing.
  std::optional<Error> take(const Record& record);
  bool ended() const { return end_.has_value(); }
  bool advance(std::uint64_t levels) { return program_.advance(levels); }
  void give_up_for_memory() { program_.give_up_for_memory(); }
  // Nothing more comes: its end is there, or its relay has gone.
  void conclude();

  // The verdict lacks something that only the caller knows of. After `conclude`.
  void lack(const char* name, std::uint64_t count, const char* sentence) { program_.lack(name, count, sentence); }

  const observe::ObservedProgram& program() const { return program_; }
  std::uint64_t records() const { return next_ - lost_; } // that were looked at
  bool has_gap() const { return !beyond_.empty(); }       // some record came before its predecessors
  std::uint64_t lost() const { return lost_; }

private:
  std::optional<Error> take_frames(const FramesRecord& record);
  void look_at(const FramesRecord& record);
  void look_at_next();
  void skip_gap();

  Announcement announcement_;
  observe::Speaker speaker_;
  observe::ObservedProgram program_;
  std::uint64_t next_ = 0;                       // record that is looked at next
  std::map<std::uint64_t, FramesRecord> beyond_; // came too early
  std::optional<std::uint64_t> end_;             // how many records there are
  std::uint64_t lost_ = 0;
  std::set<std::uint32_t> refused_; // channels with a wrong message: nothing more of them is looked at
};

} // namespace sooth::fleet
