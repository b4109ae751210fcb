#include "cli/fleets.h"

#include <array>
#include <csignal>
#include <cstdlib>

#include <unistd.h>

#include <fmt/format.h>

#include "observe/wire.h"

namespace sooth::cli {
namespace {

std::function<void()> g_stop;

void handle(int) { g_stop(); }

} // namespace

Parser::Option* add_nats_options(Parser& parser, fleet::NatsOptions& options) {
  auto* url = parser.add_option("--nats", options.url, "The NATS server: nats://HOST:PORT, or tls://HOST:PORT")
                  ->type_name("URL");
  parser.add_option("--stream", options.stream, "The fleet's name; its streams and subjects start with it")
      ->type_name("NAME")
      ->show_default();
  parser.add_option("--nats-creds", options.credentials, "The file with NATS's credentials of this user")
      ->type_name("FILE");
  parser
      .add_option("--nats-ca", options.authorities,
                  "Certificates that vouch for the server, if the system's do not; turns TLS on")
      ->type_name("FILE");
  parser.add_option("--nats-cert", options.certificate, "Our certificate, if the server asks for one")
      ->type_name("FILE");
  parser.add_option("--nats-key", options.key, "Its key")->type_name("FILE");
  return url;
}

std::optional<Error> take_token(std::string& token) {
  if (const char* set = std::getenv("SOOTH_TOKEN"); token.empty() && set != nullptr) token = set;
  if (token.size() > observe::wire::kMaxText)
    return Error{fmt::format("the token is longer than {} bytes.", observe::wire::kMaxText), "", 0, 0};
  return std::nullopt;
}

std::string own_name() {
  std::array<char, 256> machine = {};
  if (::gethostname(machine.data(), machine.size() - 1) != 0) return fmt::format("{}", ::getpid());
  return fmt::format("{}-{}", machine.data(), ::getpid());
}

void on_end_signals(std::function<void()> stop) {
  g_stop = std::move(stop);
  struct sigaction action = {};
  action.sa_handler = handle;
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

} // namespace sooth::cli
