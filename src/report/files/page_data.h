// The page as web/ makes it, a part of this program.
#pragma once

#include <string_view>

extern "C" {
extern const char sooth_page_begin[];
extern const char sooth_page_end[];
}

namespace sooth::report {

// Empty if the page was not built.
inline std::string_view page_data() {
  return {sooth_page_begin, static_cast<std::size_t>(sooth_page_end - sooth_page_begin)};
}

} // namespace sooth::report
