// `sooth fleet`: the programs of a fleet and their verdicts.
#include <atomic>
#include <chrono>
#include <thread>

#include <unistd.h>

#include "cli/command.h"
#include "cli/fleets.h"
#include "cli/output.h"
#include "cli/terminal/terminal.h"
#include "fleet/overview.h"

namespace sooth::cli {
namespace {

constexpr auto kRefresh = std::chrono::seconds(1);
constexpr auto kServerTime = std::chrono::seconds(5); // for the first look

std::atomic<bool> g_ends = false;

bool any_finding(const fleet::Overview& overview) {
  for (const auto& [id, verdict] : overview.programs())
    if (!verdict.findings.empty()) return true;
  return false;
}

// The first look may come before the server, or before anybody has made the streams.
std::optional<Error> first_look(fleet::Nats& nats, fleet::Overview& overview) {
  const auto end = fleet::Clock::now() + kServerTime;
  auto error = overview.look();
  while (error && fleet::Clock::now() < end && !g_ends) {
    if (nats.is_connected()) nats.make_streams(std::uint64_t{1} << 30);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    error = overview.look();
  }
  return error;
}

void show_until_stopped(fleet::Overview& overview) {
  while (!g_ends) {
    const auto error = overview.look();
    const std::string text = fleet::table_text(overview.programs(), text_options(report::Detail::Usual).width) +
                             (error ? "the server does not answer: " + error->message + "\n" : std::string());
    Output out;
    out.text("\033[H\033[J" + text); // from the top left corner, and nothing old behind it
    out.flush();
    std::this_thread::sleep_for(kRefresh);
  }
}

} // namespace

int run_fleet(int argc, char** argv) {
  fleet::NatsOptions options;
  bool once = false, json = false;
  Parser parser(
      "fleet",
      "Shows the programs of a fleet: what relays have announced, and what observers say of them. LAG counts\n"
      "records that are stored and not looked at yet. On a terminal the table refreshes until SIGINT.\n"
      "Exit status: 0 nothing found, 66 something found, 2 wrong usage, or there is no server.",
      "  sooth fleet --nats nats://127.0.0.1:4222\n"
      "  sooth fleet --nats nats://127.0.0.1:4222 --json | jq '.programs[] | select(.complete == false)'\n");
  add_nats_options(parser, options)->required();
  parser.add_option("--token", options.token, "That of the relays and observers. SOOTH_TOKEN sets it, too")
      ->type_name("TOKEN");
  parser.add_flag("--json", json, "Print one JSON object, with whole reports, and end");
  parser.add_flag("--once", once, "Print the table and end; the default where the output is no terminal");
  if (const auto status = parser.parse_all(argc, argv)) return *status;
  const auto wrong = [](const Error& error) {
    complain(error.text());
    return kWrong;
  };
  if (const auto error = take_token(options.token)) return wrong(*error);
  const auto nats = fleet::Nats::open(options, "sooth fleet", [](const std::string& note) { complain(note); });
  if (!nats) return wrong(nats.error());
  on_end_signals([] { g_ends = true; });
  fleet::Overview overview(*nats.value());
  if (const auto error = first_look(*nats.value(), overview)) return wrong(*error);
  if (!json && !once && ::isatty(STDOUT_FILENO) != 0) {
    show_until_stopped(overview);
  } else {
    Output out;
    out.text(json ? fleet::table_json(overview.programs()) : fleet::table_text(overview.programs(), 0));
    if (const int status = out.finish(); status != kFine) return status;
  }
  if (overview.wrong() != 0) complain(fmt::format("{} were not understood.", counted(overview.wrong(), "message")));
  return any_finding(overview) ? kFound : kFine;
}

} // namespace sooth::cli
