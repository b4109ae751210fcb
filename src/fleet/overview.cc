#include "fleet/overview.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fleet/subjects.h"
#include "report/terminal/printable.h"

namespace sooth::fleet {
namespace {

constexpr std::chrono::milliseconds kWait{50}; // for more, when there is none

const char* state_of(const Verdict& row) {
  if (row.final) return row.complete ? "ended" : "ended, not complete";
  return row.observer.empty() ? "waiting" : "running";
}

std::string findings_of(const Verdict& row) {
  std::string out;
  for (const Verdict::Found& found : row.findings)
    out += fmt::format("{}{} violation of {}", out.empty() ? "" : ", ", found.status, found.property);
  if (out.empty()) out = row.final && row.complete ? "nothing found" : "nothing found so far";
  if (row.final)
    for (const Verdict::Lack& lack : row.lacks) out += fmt::format("; {} {}", lack.count, lack.sentence);
  return out;
}

using Row = std::array<std::string, 7>;

Row row_of(const Verdict& verdict) {
  const auto name = [](const std::string& text) { return report::printable(text, 40); };
  return {name(verdict.program),
          fmt::format("{}", verdict.pid),
          name(verdict.property),
          state_of(verdict),
          fmt::format("{}", verdict.events),
          fmt::format("{}", verdict.waiting),
          report::printable(findings_of(verdict))};
}

} // namespace

Overview::Overview(Nats& nats)
    : nats_(nats), announcements_(nats, nats.stream(), announce_subject(nats.stream(), "*"), false),
      verdicts_(nats, verdict_stream(nats.stream()), verdict_subject(nats.stream(), "*"), true) {}

bool Overview::take_announcement(const Stored& stored) {
  const auto record = decode_record(stored.payload);
  const auto* announcement = record ? std::get_if<Announcement>(&record.value()) : nullptr;
  if (announcement == nullptr || stored.subject != announce_subject(nats_.stream(), announcement->id.text()))
    return false;
  Verdict row;
  row.id = announcement->id;
  row.program = announcement->program;
  row.pid = announcement->pid;
  row.relay = announcement->relay;
  row.property = announcement->property_name;
  programs_.try_emplace(announcement->id, std::move(row));
  return true;
}

bool Overview::take_verdict(const Stored& stored) {
  auto verdict = decode_verdict({reinterpret_cast<const char*>(stored.payload.data()), stored.payload.size()});
  if (!verdict || stored.subject != verdict_subject(nats_.stream(), verdict->id.text())) return false;
  const ProgramId id = verdict->id;
  programs_.insert_or_assign(id, std::move(verdict.value()));
  return true;
}

// Whether there may be more.
Result<bool> Overview::read(Reader& from, bool announcements) {
  const auto batch = from.next(kWait);
  if (!batch) return batch.error();
  for (const Stored& stored : batch.value())
    if (!(announcements ? take_announcement(stored) : take_verdict(stored))) ++wrong_;
  return !batch.value().empty() && batch.value().back().waiting != 0;
}

std::optional<Error> Overview::look() {
  for (const bool announcements : {true, false}) {
    bool more = true;
    while (more) {
      const auto read_some = read(announcements ? announcements_ : verdicts_, announcements);
      if (!read_some) return read_some.error();
      more = read_some.value();
    }
  }
  return std::nullopt;
}

std::string table_text(const std::map<ProgramId, Verdict>& programs, std::size_t width) {
  std::vector<Row> rows = {{"PROGRAM", "PID", "PROPERTY", "STATE", "EVENTS", "LAG", "VERDICT"}};
  std::size_t ended = 0, found = 0, lacking = 0;
  for (const auto& [id, verdict] : programs) {
    rows.push_back(row_of(verdict));
    ended += verdict.final;
    found += !verdict.findings.empty();
    lacking += verdict.final && !verdict.complete;
  }
  std::sort(rows.begin() + 1, rows.end());
  std::array<std::size_t, std::tuple_size_v<Row>> widths = {};
  for (const Row& row : rows)
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i + 1 < row.size() ? fmt::format("{:<{}}  ", row[i], widths[i]) : row[i];
    if (width != 0 && line.size() > width) line.resize(width);
    out += line + "\n";
  }
  return out + fmt::format("{} programs: {} ended, {} with a finding, {} not complete\n", programs.size(), ended, found,
                           lacking);
}

std::string table_json(const std::map<ProgramId, Verdict>& programs) {
  nlohmann::json out = {{"programs", nlohmann::json::array()}};
  for (const auto& [id, verdict] : programs) {
    auto row = nlohmann::json::parse(encode_verdict(verdict), nullptr, false);
    row["state"] = verdict.final ? "ended" : verdict.observer.empty() ? "waiting" : "running";
    if (const auto report = row.find("report"); report != row.end()) {
      auto parsed = nlohmann::json::parse(report->get<std::string>(), nullptr, false);
      if (parsed.is_discarded()) row.erase("report");
      else *report = std::move(parsed);
    }
    out["programs"].push_back(std::move(row));
  }
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace sooth::fleet
