// The observer's options and output, shared by `sooth observe` and `sooth run --online`.
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
  std::string memory; // of all programs' lattices; empty: the server's default
  std::string model;  // hb, or not given
  bool once = false;
  std::uint64_t max_width = 1000; // bounded, because an observer must keep up with its programs; 0: all
  std::uint64_t path_steps = 4096;
  int exit_code = -1; // -1: kFound
  double timeout = 0; // seconds, for a program that we start; 0: none
};

inline constexpr const char* kNothingToObserve =
    "an observer needs to know what must hold: --property P.prop (docs/properties.md).";

// Empty, or why programs cannot be observed with this model; no model is hb.
std::string check_observed_model(const std::string& model);
// --memory, if it was given.
std::optional<Error> take_memory(const ObserveOptions& options, std::uint64_t& most_bytes);
explore::Options lattice_options(const ObserveOptions& options);
// Reads the property file and checks its syntax; names are checked when a program connects.
Result<observe::ServerOptions> server_options(const ObserveOptions& options);

// Prints findings as they arrive, and each program's verdict.
class Verdicts {
public:
  explicit Verdicts(const ObserveOptions& options) : options_(options) {}
  observe::ServerSpeaker speaker();
  // Writes the JSON file and returns the exit status.
  int finish();

private:
  const ObserveOptions& options_;
  std::vector<report::Report> reports_;
  bool refused_ = false;
};

// Runs the program with an observer of its own. `socket_folder` exists and belongs to us.
struct OnlineRun {
  int status = 0; // the observer's; if it is kFine, the program's own counts
  Ended ended;
  bool timed_out = false;
};
Result<OnlineRun> run_online(const std::vector<std::string>& command, const ObserveOptions& options,
                             const std::string& socket_folder);

} // namespace sooth::cli
