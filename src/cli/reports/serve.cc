#include "cli/reports/serve.h"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <fmt/format.h>

namespace sooth::cli {

namespace {

constexpr std::size_t kLongestRequest = 16384;
constexpr int kMostConnections = 64;
constexpr time_t kPatienceSeconds = 10;

Error socket_error(std::string_view what) { return Error{fmt::format("cannot {}: {}.", what, std::strerror(errno))}; }

std::string response(std::string_view status, const Answer& answer, bool with_body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n"
      "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\r\n{}",
      status, answer.type, answer.body.size(), with_body ? answer.body : "");
}
std::string refusal(std::string_view status) {
  return response(status, {"text/plain; charset=utf-8", fmt::format("{}\n", status)}, true);
}

// The value of a header; its name in lower case.
std::string header(std::string_view request, std::string_view name) {
  for (std::size_t at = request.find("\r\n"); at != std::string_view::npos;) {
    const std::size_t begin = at + 2, end = request.find("\r\n", begin);
    const std::string_view line = request.substr(begin, end == std::string_view::npos ? end : end - begin);
    const std::size_t colon = line.find(':');
    if (colon == name.size() && strncasecmp(line.data(), name.data(), name.size()) == 0) {
      const std::size_t value = line.find_first_not_of(" \t", colon + 1);
      return std::string(value == std::string_view::npos ? "" : line.substr(value));
    }
    at = end;
  }
  return {};
}

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string read_request(int connection) {
  std::string out;
  char buffer[4096];
  while (out.find("\r\n\r\n") == std::string::npos && out.size() < kLongestRequest) {
    const ssize_t got = recv(connection, buffer, sizeof buffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    out.append(buffer, static_cast<std::size_t>(got));
  }
  return out;
}

} // namespace

std::optional<std::string> without_percent(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16);
    if (error != std::errc() || end != text.data() + i + 3) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

std::string answer_to(const std::string& request, std::uint16_t port, const Answering& answer) {
  const std::string_view line = std::string_view(request).substr(0, request.find("\r\n"));
  const std::size_t first = line.find(' '),
                    second = line.find(' ', first == std::string_view::npos ? first : first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos ||
      request.find("\r\n\r\n") == std::string::npos)
    return refusal("400 Bad Request");
  const std::string_view method = line.substr(0, first);
  if (method != "GET" && method != "HEAD") return refusal("405 Method Not Allowed");
  const std::string host = header(request, "host");
  if (host != fmt::format("127.0.0.1:{}", port) && host != fmt::format("localhost:{}", port))
    return refusal("403 Forbidden");
  std::string_view target = line.substr(first + 1, second - first - 1);
  target = target.substr(0, target.find('?'));
  const auto path = without_percent(target);
  if (!path) return refusal("400 Bad Request");
  const auto found = answer(*path);
  return found ? response("200 OK", *found, method == "GET") : refusal("404 Not Found");
}

LocalServer::~LocalServer() {
  if (socket_ >= 0) close(socket_);
}

Result<std::uint16_t> LocalServer::listen(std::uint16_t port) {
  socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return socket_error("make a socket");
  const int yes = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t length = sizeof address;
  if (bind(socket_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(socket_, 16) != 0)
    return socket_error(fmt::format("listen on port {}", port));
  if (getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) != 0) return socket_error("get the port");
  port_ = ntohs(address.sin_port);
  return port_;
}

Error LocalServer::run(const Answering& answer) {
  std::atomic<int> connections{0};
  for (;;) {
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return socket_error("accept a connection");
    }
    const timeval patience = {kPatienceSeconds, 0};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connections >= kMostConnections) {
      close(connection);
      continue;
    }
    ++connections;
    std::thread([connection, &connections, &answer, port = port_] {
      const std::string request = read_request(connection);
      if (!request.empty()) send_all(connection, answer_to(request, port, answer));
      shutdown(connection, SHUT_WR);
      close(connection);
      --connections;
    }).detach();
  }
}

} // namespace sooth::cli
