// What `sooth fleet` shows: the programs that relays have announced, and their newest verdicts.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fleet/nats.h"
#include "fleet/reader.h"
#include "fleet/verdict.h"

namespace sooth::fleet {

class Overview {
public:
  explicit Overview(Nats& nats);

  // Reads what has come since the last time. An error: the server is away; what was known stays.
  std::optional<Error> look();

  // One row for each program; one that no observer has said anything of yet has an empty
  // `observer`.
  const std::map<ProgramId, Verdict>& programs() const { return programs_; }
  std::uint64_t wrong() const { return wrong_; } // messages that could not be read

private:
  Result<bool> read(Reader& from, bool announcements);
  bool take_announcement(const Stored& stored);
  bool take_verdict(const Stored& stored);

  Nats& nats_;
  Reader announcements_, verdicts_;
  std::map<ProgramId, Verdict> programs_;
  std::uint64_t wrong_ = 0;
};

// The table for a terminal, at most `width` columns wide (0: no bound), and the JSON of `--json`.
std::string table_text(const std::map<ProgramId, Verdict>& programs, std::size_t width);
std::string table_json(const std::map<ProgramId, Verdict>& programs);

} // namespace sooth::fleet
