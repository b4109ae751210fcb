// `sooth observe`: checks programs while they run.
#include "cli/command.h"
#include "cli/fleets.h"
#include "cli/observing.h"
#include "cli/output.h"
#include "fleet/group.h"

namespace sooth::cli {
namespace {

int observe_fleet(fleet::GroupOptions group, const ObserveOptions& options) {
  Verdicts verdicts(options);
  if (!options.property.empty()) {
    complain("with --nats, each program brings its property: give --property to `sooth relay`.");
    return kWrong;
  }
  group.nats.token = options.token;
  auto error = take_token(group.nats.token);
  if (!error) error = take_memory(options, group.most_bytes);
  if (error) {
    complain(error->text());
    return kWrong;
  }
  group.program.lattice = lattice_options(options);
  group.once = options.once;
  fleet::Group running(std::move(group), verdicts.speaker());
  if ((error = running.open())) {
    complain(error->text());
    return kWrong;
  }
  on_end_signals([&] { running.stop(); });
  complain("observing what comes through NATS");
  running.run();
  return verdicts.finish();
}

} // namespace

int run_observe(int argc, char** argv) {
  ObserveOptions options;
  std::string listen;
  fleet::GroupOptions group;
  group.name = own_name();
  std::uint64_t lease = 30;
  Parser parser(
      "observe",
      "Check programs while they run. A program that was built with `sooth cc` or `sooth c++` and is started with\n"
      "SOOTH_OBSERVER set to the same address sends what the property can see. A violation, of the observed run or of\n"
      "another one that its order allows, is told at once, on standard error; the verdict when the program ends.\n"
      "With --nats, it is one of a group that shares the programs of relays (`sooth relay`, docs/fleet.md).\n"
      "Ends on SIGINT or SIGTERM. Exit status: 0 nothing found, 66 something found, 2 wrong usage or property.",
      "  sooth observe --listen unix:/tmp/observer --property safe_landing.prop --once &\n"
      "  SOOTH_OBSERVER=unix:/tmp/observer ./landing\n"
      "  SOOTH_TOKEN=secret sooth observe --listen tcp:0.0.0.0:7007 --property safe_landing.prop\n"
      "  sooth observe --nats nats://127.0.0.1:4222\n");
  parser.add_option("--listen", listen, "unix:PATH (a socket that only you can use) or tcp:HOST:PORT")
      ->type_name("ADDRESS");
  add_nats_options(parser, group.nats)->excludes("--listen");
  parser.add_option("--name", group.name, "With --nats: this observer's name in the verdicts (MACHINE-PID)")
      ->type_name("NAME");
  parser
      .add_option("--lease", lease,
                  "With --nats: seconds of silence after which an observer or a relay is taken for dead (30)")
      ->type_name("SECONDS")
      ->at_least(1);
  parser.add_option("--programs", group.most_programs, "With --nats: how many programs it takes at a time (64)")
      ->type_name("N")
      ->at_least(1);
  parser.add_option("--property", options.property, "What must hold (docs/properties.md)")->type_name("P.prop");
  parser.add_option("--model", options.model, "Which other runs there are: hb; the others need a recorded run")
      ->type_name("MODEL");
  parser
      .add_option(
          "--token", options.token,
          "What programs must have in SOOTH_TOKEN; needed where other machines can connect. SOOTH_TOKEN sets it, too")
      ->type_name("TOKEN");
  parser.add_option("--json", options.json, "Write the verdicts to a file, when the observer ends")->type_name("FILE");
  parser.add_flag("--once", options.once, "End when the first program has ended that told its symbols");
  parser
      .add_option("--max-width", options.max_width,
                  "Keep at most so many cuts of a level (1000; 0: all), those nearest to the observed run; the report "
                  "says if some were left out")
      ->type_name("N");
  parser
      .add_option(
          "--memory", options.memory,
          "What all observed programs may take together, in bytes (K, M, G); 1G if not given. The largest one is "
          "given up, and its verdict says so")
      ->type_name("BYTES");
  parser.add_option("--path-steps", options.path_steps, "Steps of a violating run that are kept for the report")
      ->type_name("N");
  parser.add_option("--exit-code", options.exit_code, "The exit status if something was found, instead of 66")
      ->type_name("N")
      ->within(0, 255);
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  if (const std::string wrong = check_observed_model(options.model); !wrong.empty()) {
    complain(wrong);
    return kWrong;
  }
  if (listen.empty() == group.nats.url.empty()) {
    complain("where do programs come from? --listen ADDRESS or --nats URL.");
    return kWrong;
  }
  if (!group.nats.url.empty()) {
    group.lease = std::chrono::seconds(std::min<std::uint64_t>(lease, 86400));
    return observe_fleet(std::move(group), options);
  }
  const auto address = observe::parse_address(listen);
  auto wanted = server_options(options);
  if (!address || !wanted) {
    complain(!address ? address.error().text() : wanted.error().text());
    return kWrong;
  }
  Verdicts verdicts(options);
  observe::Server server(*std::move(wanted), verdicts.speaker());
  const auto listening = server.listen(address.value());
  if (!listening) {
    complain(listening.error().text());
    return kWrong;
  }
  complain(fmt::format("observing at {}", listening.value().text()));
  server.run();
  return verdicts.finish();
}

} // namespace sooth::cli
