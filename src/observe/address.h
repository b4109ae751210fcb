// Where an observer listens: unix:PATH or tcp:HOST:PORT.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace sooth::observe {

struct Address {
  bool local = true; // a socket in the file system
  std::string path;
  std::string host; // numeric
  std::uint16_t port = 0;
  bool loopback = true; // reaches no other machine

  std::string text() const;
};

// HOST is a numeric address (IPv6 in brackets) or `localhost`.
Result<Address> parse_address(const std::string& text);

// Whether both are the same, in a time that says nothing about where they differ.
bool same_token(const std::string& wanted, const std::string& given);

} // namespace sooth::observe
