// Errors are values: a sentence for the user, with the place it speaks of.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace sooth {

struct Error {
  std::string message;      // a sentence for the user
  std::string file;         // what it speaks of; may be empty
  std::uint64_t line = 0;   // 1-based; 0: none
  std::uint64_t column = 0; // 1-based; 0: none

  // "file:line:column: message", as far as there are parts.
  std::string text() const {
    std::string out = file;
    if (line != 0) out += ":" + std::to_string(line);
    if (column != 0) out += ":" + std::to_string(column);
    return out.empty() ? message : out + ": " + message;
  }
};

template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<0>(state_); }
  const T& value() const { return std::get<0>(state_); }
  const Error& error() const { return std::get<1>(state_); }
  T& operator*() { return value(); }
  T* operator->() { return &value(); }

private:
  std::variant<T, Error> state_;
};

} // namespace sooth
