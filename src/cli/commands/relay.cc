// `sooth relay`: hands the messages of observed programs on to a fleet's observers.
#include "fleet/relay.h"
#include "cli/command.h"
#include "cli/fleets.h"
#include "cli/observing.h"
#include "cli/output.h"

namespace sooth::cli {

int run_relay(int argc, char** argv) {
  fleet::RelayOptions relay;
  ObserveOptions options;
  std::string listen, when_full = "slow", folder;
  relay.name = own_name();
  relay.spill_bytes = std::uint64_t{1} << 30;
  Parser parser(
      "relay",
      "Takes programs as `sooth observe --listen` does, and hands their messages on to a stream of NATS JetStream,\n"
      "from which a group of observers (`sooth observe --nats`) takes them. Programs need nothing new:\n"
      "SOOTH_OBSERVER is the relay's address. The relay reads the property, because programs have to know what is\n"
      "relevant; the observers get it from the relay. Ends on SIGINT or SIGTERM. See docs/fleet.md.\n"
      "Exit status: 0, 1 if not everything could be stored at the end, 2 wrong usage or property.",
      "  nats-server -js -a 127.0.0.1 &\n"
      "  sooth relay --listen unix:/tmp/relay --nats nats://127.0.0.1:4222 --property safe_landing.prop &\n"
      "  sooth observe --nats nats://127.0.0.1:4222 &\n"
      "  SOOTH_OBSERVER=unix:/tmp/relay ./landing\n"
      "  sooth fleet --nats nats://127.0.0.1:4222 --once\n");
  parser.add_option("--listen", listen, "unix:PATH (a socket that only you can use) or tcp:HOST:PORT")
      ->required()
      ->type_name("ADDRESS");
  add_nats_options(parser, relay.nats)->required();
  parser.add_option("--property", options.property, "What must hold (docs/properties.md)")->type_name("P.prop");
  parser
      .add_option("--token", options.token,
                  "What programs must have in SOOTH_TOKEN, and observers know, too: records are sealed with it. "
                  "SOOTH_TOKEN sets it, too")
      ->type_name("TOKEN");
  parser.add_option("--name", relay.name, "This relay's name in the table (MACHINE-PID)")->type_name("NAME");
  parser
      .add_option("--when-full", when_full,
                  "While the stream takes nothing: slow (programs wait) or spill (records wait on disk)")
      ->type_name("slow|spill");
  parser.add_option("--spill-folder", folder, "Where records wait; what is left there is stored at the next start")
      ->type_name("DIR");
  parser.add_option("--spill-bytes", relay.spill_bytes, "The most on disk (1 GiB); beyond it, programs wait")
      ->type_name("N");
  parser
      .add_option("--stream-bytes", relay.publisher.stream_bytes,
                  "How large the stream may become, if it has to be made (1 GiB)")
      ->type_name("N");
  parser.add_flag("--once", options.once, "End when the first program has ended");
  if (const auto status = parser.parse_all(argc, argv)) return *status;

  const auto wrong = [](const std::string& why) {
    complain(why);
    return kWrong;
  };
  if (when_full != "slow" && when_full != "spill") return wrong("--when-full is slow or spill.");
  if ((when_full == "spill") != !folder.empty()) return wrong("--when-full spill and --spill-folder belong together.");
  if (when_full == "spill") relay.spill_file = folder + "/sooth-" + relay.nats.stream + ".spill";
  const auto address = observe::parse_address(listen);
  if (!address) return wrong(address.error().text());
  auto server = server_options(options);
  if (!server) return wrong(server.error().text());
  relay.server = std::move(server.value());
  relay.nats.token = relay.server.token;
  if (relay.server.program.property_text.size() > fleet::kMostRecord / 2)
    return wrong("the property file is too large for a record.");

  fleet::Relay running(std::move(relay), [](const std::string& note) { complain(note); });
  const auto listening = running.listen(address.value());
  if (!listening) return wrong(listening.error().text());
  complain(fmt::format("relaying at {}", listening.value().text()));
  if (running.run()) return kFine;
  complain("not everything could be stored; the verdicts will say what they lack.");
  return 1;
}

} // namespace sooth::cli
