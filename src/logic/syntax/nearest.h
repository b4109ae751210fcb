// "Did you mean ...?": the known names that are nearest to an unknown one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sooth::logic {

// The smallest number of letters to insert, delete, change or swap with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b);

// At most three, nearest first; none that has less than about half of its letters in common.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known);

// "; did you mean 'a', 'b' or 'c'?", or nothing.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

} // namespace sooth::logic
