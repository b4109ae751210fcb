// Knowledge vectors: what a thread, or a shared variable, knows of shared variables and of other threads.
//
// Question: what is the latest state of each variable and each thread that is in the causal past?
// Source: seed 003, section 2.3. An entry is a sequence number and values; of two entries the one with the larger sequence
//   number is the newer one, and two vectors are merged entry by entry.
// Where we differ: threads that formulas range over with variables (`any t`, `exists u`) have a *row* each. Rows are
//   places that threads take and give back (places.h), so there are as many as threads live at the same time; an entry
//   also says whose it is, and of two threads in one place the later one wins. A remote expression that itself speaks of
//   a thread variable, `@u(@t(e))`, has one value for each row, kept in u's entry.
//   Row 0, and value 0 of those, stand for a thread that is not known of: what its expressions are before it does anything.
// Cost: a merge looks at each variable, role and row in use once, and copies what is newer.
//
// A vector is an array of words:
//   [0] rows in use (1 + the highest place that was ever known here)
//   for each variable: writes so far, value
//   for each role, and then for each row: thread (1 + its number; 0: nobody), sequence number, values,
//     and, where there are values about other threads, for row 0, 1, ...: thread, values
#pragma once

#include <cstddef>
#include <cstdint>

#include "knowledge/compiled.h"

namespace sooth::knowledge {

using Word = std::uint64_t;

// Of a thread's sequence number: it was joined, and that is known here. Larger than all numbers without it.
inline constexpr Word kGone = Word{1} << 63;

// An entry for a thread, of a role or of a row.
inline constexpr std::size_t kOwner = 0, kSequence = 1, kValues = 2;

struct Layout {
  struct Entry {
    std::uint32_t values = 0; // words
    std::uint32_t about = 0;  // words for each row
    std::uint32_t words = 0;  // of the entry
  };

  std::uint32_t variables = 0; // those with values
  std::uint32_t roles = 0;
  std::uint32_t places = 0; // rows are 0 ... places
  std::uint32_t first_role = 0;
  std::uint32_t first_row = 0;
  Entry row;
  Entry role[kMaxRoles];
  std::uint32_t role_at[kMaxRoles];
  std::size_t words = 0; // of a vector

  // `most_places`: how many threads there can be at the same time; 0 is enough if no formula has thread variables.
  // False: such a vector would be too large.
  bool make(const Compiled& compiled, std::uint32_t most_places);

  static constexpr std::size_t variable_at(std::uint32_t variable) { return 1 + std::size_t{2} * variable; }
  std::size_t row_at(std::uint32_t row_number) const { return first_row + std::size_t{row.words} * row_number; }
  // The value about the thread in a row, in an entry that begins at `entry`: [0] is that thread, then the values.
  static std::size_t about_at(const Entry& shape, std::size_t entry, std::uint32_t row_number) {
    return entry + kValues + shape.values + std::size_t{1 + shape.about} * row_number;
  }
};

// What a merge has changed.
struct News {
  bool any = false;     // something, if only a number of writes
  bool visible = false; // something that a formula can see
};
// `to` <- the newer of both, entry by entry.
News merge(const Layout& layout, Word* to, const Word* from);
// `to` <- `from`. What of `to` is not in use stays as it was made.
void copy(const Layout& layout, Word* to, const Word* from);

} // namespace sooth::knowledge
