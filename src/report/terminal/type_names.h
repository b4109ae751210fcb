// Names of types and functions as people write them, without the library's default arguments.
//
//     std::basic_string<char, std::char_traits<char>, std::allocator<char>>   std::string
//     std::unique_ptr<Node, std::default_delete<Node>>                        std::unique_ptr<Node>
#pragma once

#include <string>
#include <string_view>

namespace sooth::report {

// Any text; what it does not recognise stays as it is.
std::string with_short_types(std::string_view text);

} // namespace sooth::report
