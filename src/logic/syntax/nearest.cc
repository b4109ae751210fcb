#include "logic/syntax/nearest.h"

#include <algorithm>
#include <utility>

namespace sooth::logic {
namespace {

// Longer names are cut: a message needs no more, and hostile input must not cost more.
constexpr std::size_t kLongest = 96;

// The part after the last `::`, `:` or `.`: people forget namespaces and files more often than
// letters.
std::string_view last_part(std::string_view name) {
  const std::size_t at = name.find_last_of(":.");
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

} // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known) {
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& name : known) {
    if (name.empty() || name == wanted) continue; // the word itself does not help
    std::size_t distance = edit_distance(wanted, name);
    const std::size_t length = std::max(wanted.size(), name.size());
    bool near = distance * 5 <= length * 2 || (length <= 3 && distance <= 1);
    const std::string_view mine = last_part(wanted), other = last_part(name);
    if (!near && mine.size() > 2) {
      const std::size_t parts = edit_distance(mine, other);
      near = parts * 4 <= std::max(mine.size(), other.size());
      distance = parts + 1;
    }
    if (near) found.emplace_back(distance, name);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() > 3) found.resize(3);
  std::vector<std::string> names;
  names.reserve(found.size());
  for (auto& [distance, name] : found) names.push_back(std::move(name));
  return names;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> known) {
  const std::vector<std::string> names = nearest_names(wanted, known);
  if (names.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + ("'" + names[i] + "'");
  return text + "?";
}

} // namespace sooth::logic
