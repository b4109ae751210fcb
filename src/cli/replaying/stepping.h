// `sooth replay --then step`: walks through the schedule, event by event.
//
//     thread 0            thread 1
//     acquire                                 bank.cpp:17  std::lock_guard outer(savings);
//                         acquire             bank.cpp:10  std::lock_guard outer(checking);
//
// The thread whose turn it is writes each event into the schedule's page and waits
// (capture/runtime/replaying/report.cc). On a terminal, each line waits for a key; otherwise all of
// them are printed.
#pragma once

#include <cstdint>
#include <cstdio>

#include "replay/script.h"
#include "report/source_lines.h"

namespace sooth::cli {

class Stepping {
public:
  Stepping(const replay::Script& script, replay::ScheduleHeader& schedule);
  ~Stepping();
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;

  // Shows the event that waits, if one does, and lets its thread go on. Returns whether there was
  // one.
  bool look();

private:
  void show() const;
  void ask();

  const replay::Script& script_;
  replay::ScheduleHeader& schedule_;
  mutable report::SourceLines sources_;
  std::FILE* keys_; // the terminal; null if there is none
  std::size_t columns_;
  std::size_t column_; // of one thread
};

} // namespace sooth::cli
