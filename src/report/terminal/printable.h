// Text of the analysed program, made safe for a terminal. Names, paths and messages may hold
// anything.
//
//     "a\nb\x1b[2J"   ->   a\nb\x1b[2J, in visible characters
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sooth::report {

// Control characters, bytes that are not UTF-8, and marks that change the direction of writing
// become `\n`, `\x1b` or `\u202e`. Of a longer text, the first `most` bytes and `...` are kept.
std::string printable(std::string_view text, std::size_t most = 400);
// The same for a message of several lines: line ends and tabs stay, and nothing is cut off.
std::string printable_lines(std::string_view text);

} // namespace sooth::report
