// The text that users write between brackets, without the space around it.
#pragma once

#include <string_view>

namespace sooth::logic {

inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n\r"), last = text.find_last_not_of(" \t\n\r");
  return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

} // namespace sooth::logic
