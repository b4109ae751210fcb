#include "knowledge/vector.h"

namespace sooth::knowledge {
namespace {

constexpr std::size_t kMostWords = std::size_t{1} << 24; // 128 MiB: somebody mistyped the number of threads

Layout::Entry entry_of(const ClassRow& stored, std::uint32_t rows) {
  Layout::Entry entry{stored.values, stored.about, 0};
  entry.words = 2 + stored.values + (stored.about == 0 ? 0 : (1 + stored.about) * rows);
  return entry;
}

// Words are few; a loop beats a call of memcpy.
inline void copy_words(Word* to, const Word* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

// An entry, as far as it is in use with so many rows. `to` may know of more rows, but what its entry says of them came
// from another thread that was in this place or role: forgotten.
inline void copy_entry(const Layout::Entry& shape, Word* to, const Word* from, std::size_t rows, std::size_t to_rows) {
  const std::size_t fixed = kValues + shape.values, each = 1 + shape.about;
  copy_words(to, from, shape.about == 0 ? fixed : fixed + each * rows);
  if (shape.about == 0) return;
  for (std::size_t r = rows; r < to_rows; ++r) to[fixed + each * r] = 0;
}

inline bool newer(const Word* a, const Word* b) {
  return a[kOwner] != b[kOwner] ? a[kOwner] > b[kOwner] : a[kSequence] > b[kSequence];
}

} // namespace

bool Layout::make(const Compiled& compiled, std::uint32_t most_places) {
  variables = compiled.valued_count();
  roles = compiled.role_count();
  places = most_places;
  const std::uint64_t rows = std::uint64_t{most_places} + 1;
  if (rows > (1u << 16)) return false;
  std::uint64_t at = variable_at(variables);
  first_role = static_cast<std::uint32_t>(at);
  for (std::uint32_t i = 0; i < roles; ++i) {
    role[i] = entry_of(compiled.class_of(i), static_cast<std::uint32_t>(rows));
    role_at[i] = static_cast<std::uint32_t>(at);
    at += role[i].words;
    if (at > kMostWords) return false;
  }
  first_row = static_cast<std::uint32_t>(at);
  row = entry_of(compiled.class_of(kAllThreads), static_cast<std::uint32_t>(rows));
  at += rows * row.words;
  words = at;
  return at <= kMostWords;
}

News merge(const Layout& layout, Word* to, const Word* from) {
  News news;
  if (from[0] > to[0]) {
    to[0] = from[0];
    news.any = true;
  }
  for (std::uint32_t i = 0; i < layout.variables; ++i) {
    const std::size_t at = Layout::variable_at(i);
    if (from[at] <= to[at]) continue;
    news.any = true;
    news.visible |= to[at + 1] != from[at + 1];
    to[at] = from[at];
    to[at + 1] = from[at + 1];
  }
  const auto rows = static_cast<std::size_t>(from[0]), to_rows = static_cast<std::size_t>(to[0]);
  const auto take = [&](const Layout::Entry& shape, std::size_t at) {
    if (!newer(from + at, to + at)) return;
    copy_entry(shape, to + at, from + at, rows, to_rows);
    news.any = news.visible = true;
  };
  for (std::uint32_t i = 0; i < layout.roles; ++i) take(layout.role[i], layout.role_at[i]);
  for (std::size_t r = 1; r < rows; ++r) take(layout.row, layout.row_at(static_cast<std::uint32_t>(r)));
  return news;
}

void copy(const Layout& layout, Word* to, const Word* from) {
  const auto rows = static_cast<std::size_t>(from[0]), to_rows = static_cast<std::size_t>(to[0]);
  copy_words(to, from, 1 + std::size_t{2} * layout.variables);
  const auto take = [&](const Layout::Entry& shape, std::size_t at) {
    // The same thread's entry with the same number is the same: numbers grow whenever something changes (evaluate.cc).
    const bool same = to[at + kSequence] == from[at + kSequence] && to[at + kOwner] == from[at + kOwner];
    if (!same || from[at + kOwner] == 0) copy_entry(shape, to + at, from + at, rows, to_rows);
  };
  for (std::uint32_t i = 0; i < layout.roles; ++i) take(layout.role[i], layout.role_at[i]);
  for (std::size_t r = 1; r < rows; ++r) take(layout.row, layout.row_at(static_cast<std::uint32_t>(r)));
  for (std::size_t r = rows; r < to_rows; ++r) {
    Word* entry = to + layout.row_at(static_cast<std::uint32_t>(r));
    entry[kOwner] = entry[kSequence] = 0;
  }
}

} // namespace sooth::knowledge
