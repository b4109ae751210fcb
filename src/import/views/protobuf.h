// Protocol buffers, the writing half: fields of a message, appended one by one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sooth::import {

class Message {
public:
  void number(std::uint32_t field, std::uint64_t value) {
    key(field, 0);
    varint(value);
  }
  void fixed64(std::uint32_t field, std::uint64_t value) {
    key(field, 1);
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
  }
  void text(std::uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const Message& value) { text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

private:
  void key(std::uint32_t field, std::uint32_t type) { varint(std::uint64_t{field} << 3 | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

} // namespace sooth::import
