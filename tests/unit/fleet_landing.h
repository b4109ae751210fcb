// The landing example as the records of a relay.
#pragma once

#include "fleet/followed_program.h"
#include "unit/observe_landing.h"

namespace sooth::fleet {

inline ProgramId landing_id() {
  ProgramId id;
  id.bytes.fill(7);
  return id;
}

inline Announcement landing_announcement() {
  return {landing_id(), "relay", "landing", 42, "test.prop", observe::kLanding};
}

inline void add_frame(Bytes& frames, const observe::Message& message) {
  const Bytes frame = observe::encode(message);
  frames.insert(frames.end(), frame.begin(), frame.end());
}

// The handshake in record 0, then each message in a record of its own, then the end.
inline std::vector<Record> landing_records() {
  observe::Observation landing;
  landing.begin();
  const auto module = observe::landing_module();
  FramesRecord first{landing_id(), 0, 0, {}};
  add_frame(first.frames, observe::ModulePart{0, 0, module.size(), module});
  add_frame(first.frames, observe::SymbolsSent{1});
  add_frame(first.frames, landing.initial());
  std::vector<Record> out = {first};
  for (const observe::Message& message : landing.landing()) {
    FramesRecord record{landing_id(), out.size(), 1, {}};
    add_frame(record.frames, message);
    out.emplace_back(record);
  }
  out.emplace_back(EndRecord{landing_id(), out.size()});
  return out;
}

// A program that is read from a stream, and what was said of it.
struct Followed {
  std::vector<report::Report> findings;
  std::vector<std::string> notes;
  FollowedProgram program;

  Followed()
      : program(landing_announcement(), {},
                {[this](const report::Report& r) { findings.push_back(r); },
                 [this](const std::string& note) { notes.push_back(note); }}) {}
  const report::Report& end() {
    program.conclude();
    return program.program().report();
  }
  bool lacks(const std::string& name) const {
    return std::ranges::any_of(program.program().report().coverage.gaps,
                               [&](const auto& gap) { return gap.name == name && !gap.complete; });
  }
};

} // namespace sooth::fleet
