// A small web server for this machine alone: pages for a browser that runs here.
//
// It listens on 127.0.0.1, answers GET and HEAD, and refuses requests for another host's name, so
// that no page from elsewhere can read from it (DNS rebinding). Every request has a thread and a
// connection of its own; a client that says nothing for a while is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"

namespace sooth::cli {

struct Answer {
  std::string type; // "text/html; charset=utf-8"
  std::string body;
};
// `path` is decoded and has no query. Nothing: there is no such page. Called from several threads.
using Answering = std::function<std::optional<Answer>(const std::string& path)>;

class LocalServer {
public:
  LocalServer() = default;
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  // Port 0: any. Returns the port that was got.
  Result<std::uint16_t> listen(std::uint16_t port);
  // Does not return, unless the socket breaks.
  Error run(const Answering& answer);

private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

// For tests and for the server: the answer to the text of a request.
std::string answer_to(const std::string& request, std::uint16_t port, const Answering& answer);
// "%20" to " "; nothing if the text is malformed.
std::optional<std::string> without_percent(std::string_view text);

} // namespace sooth::cli
