// Runs the built `sooth` in a folder of its own and catches what it says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "trace/trace.h"

namespace sooth::cli::testing {

struct Outcome {
  int status = 0;               // exit status, if it ended by itself
  int signal = 0;               // the signal that ended it, or 0
  std::string out;              // standard output
  std::string err;              // standard error
  std::uint64_t peak_bytes = 0; // that it, or a process that it waited for, occupied at most
};

class CommandTest : public ::testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  Outcome sooth(const std::vector<std::string>& arguments) const { return run(SOOTH_PROGRAM, arguments); }
  Outcome run(const std::string& program, const std::vector<std::string>& arguments) const;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write_file(const std::string& name, const std::string& text) const;
  static std::string read_file(const std::string& path);
  std::string write_trace(const std::string& name, const trace::Trace& trace) const;

private:
  std::string folder_;
};

// Two threads, a named lock, a global counter and a heap block; legal.
trace::Trace small_trace();
// The same, with a read that sees a value that nobody wrote.
trace::Trace illegal_trace();

} // namespace sooth::cli::testing
