#include "observe/address.h"

#include <charconv>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <fmt/format.h>

namespace sooth::observe {

std::string Address::text() const {
  if (local) return "unix:" + path;
  return host.find(':') != std::string::npos ? fmt::format("tcp:[{}]:{}", host, port)
                                             : fmt::format("tcp:{}:{}", host, port);
}

Result<Address> parse_address(const std::string& text) {
  const auto wrong = [&](const char* why) {
    return Error{fmt::format("`{}` is no address to listen at: {}. It is unix:PATH or tcp:HOST:PORT.", text, why), "",
                 0, 0};
  };
  Address out;
  if (text.starts_with("unix:")) {
    out.path = text.substr(5);
    if (out.path.empty()) return wrong("there is no path");
    if (out.path.size() >= sizeof(sockaddr_un::sun_path)) return wrong("the path is too long for a socket");
    return out;
  }
  if (!text.starts_with("tcp:")) return wrong("it starts with neither unix: nor tcp:");
  const std::size_t colon = text.rfind(':');
  if (colon == 3) return wrong("there is no port");
  out.local = false;
  out.host = text.substr(4, colon - 4);
  if (out.host.size() > 2 && out.host.front() == '[' && out.host.back() == ']')
    out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host == "localhost") out.host = "127.0.0.1";
  const char* first = text.data() + colon + 1;
  const char* last = text.data() + text.size();
  if (const auto [end, error] = std::from_chars(first, last, out.port);
      error != std::errc() || end != last || first == last)
    return wrong("the port is no number up to 65535");
  in_addr v4 = {};
  in6_addr v6 = {};
  if (inet_pton(AF_INET, out.host.c_str(), &v4) == 1) out.loopback = (ntohl(v4.s_addr) >> 24) == 127;
  else if (inet_pton(AF_INET6, out.host.c_str(), &v6) == 1) out.loopback = IN6_IS_ADDR_LOOPBACK(&v6);
  else return wrong("the host is no numeric address");
  return out;
}

bool same_token(const std::string& wanted, const std::string& given) {
  // Looks at every byte of the given one, whatever the others were.
  unsigned different = wanted.size() == given.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = wanted.empty() ? '\0' : wanted[i % wanted.size()];
    different |= static_cast<unsigned char>(given[i] ^ other);
  }
  return different == 0;
}

} // namespace sooth::observe
