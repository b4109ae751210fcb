// The verdict on one program, so far or final, as observers publish it and `sooth fleet` reads it:
// one JSON object.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fleet/record.h"
#include "report/report.h"

namespace sooth::fleet {

struct Verdict {
  struct Found {
    std::string status; // observed, predicted
    std::string property;
    friend bool operator==(const Found&, const Found&) = default;
  };
  struct Lack {
    std::string name; // as in a report's coverage
    std::uint64_t count = 0;
    std::string sentence;
    friend bool operator==(const Lack&, const Lack&) = default;
  };
  ProgramId id;
  std::string program;
  std::uint32_t pid = 0;
  std::string relay;
  std::string observer;
  std::string property; // the file's name
  bool final = false;
  bool complete = false;     // final, and everything was looked at
  std::uint64_t records = 0; // that the observer has looked at ...
  std::uint64_t waiting = 0; // ... and that it knew to be in the stream behind them
  std::uint64_t events = 0;
  std::vector<Found> findings;
  std::vector<Lack> lacks; // why it is not complete
  std::string report;      // of a final one: JSON as of `sooth check --json`; empty if it is too large
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// Takes findings and gaps from the report.
void fill(Verdict& verdict, const report::Report& report);

std::string encode_verdict(const Verdict& verdict);
Result<Verdict> decode_verdict(std::string_view text);

} // namespace sooth::fleet
