// The options of the commands that use NATS: `sooth relay`, `sooth observe --nats`, `sooth fleet`.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/parser.h"
#include "fleet/nats.h"

namespace sooth::cli {

// --nats, --stream, --token, --nats-creds, --nats-ca, --nats-cert, --nats-key
Parser::Option* add_nats_options(Parser& parser, fleet::NatsOptions& options);
// From SOOTH_TOKEN, unless it was given. An error if it is too long.
std::optional<Error> take_token(std::string& token);
// MACHINE-PID
std::string own_name();
// SIGINT and SIGTERM call `stop`, which must be safe in a signal's handler.
void on_end_signals(std::function<void()> stop);

} // namespace sooth::cli
