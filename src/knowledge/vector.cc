#include "knowledge/vector.h"

namespace sooth::knowledge {
namespace {

constexpr std::size_t kMostWords = std::size_t{1} << 24; // 128 MiB: the number of threads was mistyped

inline void copy_words(Word* to, const Word* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

inline bool newer(const Word* a, const Word* b) {
  return a[kOwner] != b[kOwner] ? a[kOwner] > b[kOwner] : a[kSequence] > b[kSequence];
}

// An entry's statements about rows are taken over with it. `to` may know of more rows, but its
// entry's statements about them came from another thread that was in this place or role: they are
// forgotten. `at(row)` is their position in both vectors.
template <typename At>
inline void copy_pairs(Word* to, const Word* from, std::size_t words, At at) {
  if (words == 0) return;
  for (std::size_t r = 0; r < from[0]; ++r) copy_words(to + at(r), from + at(r), words);
  for (std::size_t r = from[0]; r < to[0]; ++r) to[at(r)] = 0;
}

} // namespace

bool Layout::make(const Compiled& compiled, std::uint32_t most_places) {
  variables = compiled.valued_count();
  roles = compiled.role_count();
  places = most_places;
  const std::uint64_t rows = std::uint64_t{most_places} + 1;
  if (rows > (1u << 16)) return false;
  const auto pair_words = [](const ClassRow& stored) { return stored.about == 0 ? 0 : 1 + stored.about; };
  const ClassRow& all = compiled.class_of(kAllThreads);
  row_values = all.values;
  pair = pair_words(all);
  linear = static_cast<std::uint32_t>(kValues + all.values);
  std::uint64_t at = variable_at(variables);
  for (std::uint32_t i = 0; i < roles; ++i) {
    const ClassRow& stored = compiled.class_of(i);
    role[i] = {static_cast<std::uint32_t>(at), stored.values, pair_words(stored), linear};
    at += kValues + stored.values;
    linear += role[i].about;
    if (at > kMostWords) return false;
  }
  first_shell = static_cast<std::uint32_t>(at);
  words = words_for(rows);
  return words <= kMostWords;
}

News merge(const Layout& layout, Word* to, const Word* from) {
  News news;
  news.ahead = to[0] > from[0];
  if (from[0] > to[0]) {
    grow(layout, to, from[0]);
    news.any = true;
  }
  for (std::uint32_t i = 0; i < layout.variables; ++i) {
    const std::size_t at = Layout::variable_at(i);
    news.ahead |= from[at] < to[at];
    if (from[at] <= to[at]) continue;
    news.any = true;
    news.visible |= to[at + 1] != from[at + 1];
    to[at] = from[at];
    to[at + 1] = from[at + 1];
  }
  for (std::uint32_t i = 0; i < layout.roles; ++i) {
    const Layout::Role& role = layout.role[i];
    news.ahead |= newer(to + role.at, from + role.at);
    if (!newer(from + role.at, to + role.at)) continue;
    copy_words(to + role.at, from + role.at, kValues + role.values);
    copy_pairs(to, from, role.about, [&](std::size_t r) { return layout.role_pair_at(i, r); });
    news.any = news.visible = true;
  }
  for (std::size_t row = 1; row < from[0]; ++row) {
    const std::size_t at = layout.row_at(row);
    news.ahead |= newer(to + at, from + at);
    if (!newer(from + at, to + at)) continue;
    copy_words(to + at, from + at, kValues + layout.row_values);
    copy_pairs(to, from, layout.pair, [&](std::size_t r) { return layout.pair_at(row, r); });
    news.any = true;
    news.rows |= row < 64 ? Word{1} << row : ~Word{0};
  }
  return news;
}

bool covers(const Layout& layout, const Word* a, const Word* b) {
  if (b[0] > a[0]) return false;
  for (std::uint32_t i = 0; i < layout.variables; ++i)
    if (b[Layout::variable_at(i)] > a[Layout::variable_at(i)]) return false;
  for (std::uint32_t i = 0; i < layout.roles; ++i)
    if (newer(b + layout.role[i].at, a + layout.role[i].at)) return false;
  for (std::size_t row = 1; row < b[0]; ++row)
    if (newer(b + layout.row_at(row), a + layout.row_at(row))) return false;
  return true;
}

void grow(const Layout& layout, Word* vector, Word rows) {
  const std::size_t end = layout.words_for(rows);
  for (std::size_t i = layout.words_for(vector[0]); i < end; ++i) vector[i] = 0;
  vector[0] = rows;
}

} // namespace sooth::knowledge
