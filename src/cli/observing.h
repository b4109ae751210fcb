// What `sooth observe` and `sooth run --online` share: the observer's options, and how it speaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch.h"
#include "cli/parser.h"
#include "observe/server.h"

namespace sooth::cli {

struct ObserveOptions {
  std::string property;
  std::string token; // or SOOTH_TOKEN
  std::string json;
  bool once = false;
  std::uint64_t max_width = 1000; // an observer has to keep up with its programs; 0: all
  std::uint64_t path_steps = 4096;
  int exit_code = -1; // -1: kFound
  double timeout = 0; // seconds, of a program that is started here; 0: none
};

inline constexpr const char* kNothingToObserve =
    "an observer needs to know what must hold: --property P.prop (docs/properties.md).";

// Reads the property file and checks its syntax; names are checked when a program connects.
Result<observe::ServerOptions> server_options(const ObserveOptions& options);

// Prints findings as they come, and each program's verdict.
class Verdicts {
public:
  explicit Verdicts(const ObserveOptions& options) : options_(options) {}
  observe::ServerSpeaker speaker();
  // The exit status of it all; writes the JSON file.
  int finish();

private:
  const ObserveOptions& options_;
  std::vector<report::Report> reports_;
  bool refused_ = false;
};

// Runs the program with an observer of its own. `socket_folder` exists and is ours.
struct OnlineRun {
  int status = 0; // what the observer says; kFine: the program's own counts
  Ended ended;
  bool timed_out = false;
};
Result<OnlineRun> run_online(const std::vector<std::string>& command, const ObserveOptions& options,
                             const std::string& socket_folder);

} // namespace sooth::cli
