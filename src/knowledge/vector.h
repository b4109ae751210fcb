// Knowledge vectors: what a thread, or a shared variable, knows of shared variables and of other
// threads.
//
//     T1: {x: 3 writes, value 7}   merged with   m: {x: 2 writes, value 5; reader: 4, y = 1}
//     gives {x: 3 writes, value 7; reader: 4, y = 1}: entry by entry, the newer one
//
// Question: what is the latest state of each variable and each thread in the causal past?
// Source: DAME, section 2.3. An entry is a sequence number and values. Of two entries, the one with
//   the larger sequence number is newer, and two vectors are merged entry by entry.
// Where we differ: threads that formulas range over with variables (`any t`, `exists u`) have a
//   *row* each. Rows are places that threads take and give back (places.h), so there are as many as
//   threads live at the same time. An entry also says whose it is; of two threads in one place the
//   later one wins. A remote expression that itself mentions a thread variable, `@u(@t(e))`, has
//   one value for each row, and belongs to u's entry. Row 0, and value 0 of those, stand for an
//   unknown thread: the values of its expressions before it does anything.
// Cost: a merge looks at each variable, role and row in use once, and copies what is newer. A copy
//   is one run of words.
//
// A vector is an array of words:
//     [0] rows in use (1 + the highest place that was ever known here)
//     for each variable: writes so far, value
//     for each role: its entry: thread (1 + its number; 0: none), sequence number, values
//     for each row m, its *shell*: the row's entry, like a role's; what each role says about row m;
//       what row m says about rows 0 ... m; what rows 0 ... m - 1 say about row m. Each of these is
//       a thread and values.
// So with few rows only the beginning of the array is in use, whatever the number of places.
#pragma once

#include <cstddef>
#include <cstdint>

#include "knowledge/compiled.h"

namespace sooth::knowledge {

using Word = std::uint64_t;

// Of a thread's sequence number: it was joined, and that is known here. Larger than all numbers
// without it.
inline constexpr Word kGone = Word{1} << 63;

// An entry for a thread, of a role or of a row.
inline constexpr std::size_t kOwner = 0, kSequence = 1, kValues = 2;

struct Layout {
  struct Role {
    std::uint32_t at = 0;       // of its entry in the vector
    std::uint32_t values = 0;   // words
    std::uint32_t about = 0;    // words about each row: 0, or a thread and values
    std::uint32_t about_at = 0; // of those in a row's shell
  };

  std::uint32_t variables = 0; // those with values
  std::uint32_t roles = 0;
  std::uint32_t places = 0; // rows are 0 ... places
  std::uint32_t first_shell = 0;
  std::uint32_t row_values = 0; // words that a row's entry has
  std::uint32_t linear = 0;     // words of a shell that do not depend on its number
  std::uint32_t pair = 0;       // words that a row says about another one: 0, or a thread and values
  Role role[kMaxRoles];
  std::size_t words = 0; // of a vector with all rows

  // `most_places`: how many threads there can be at the same time; 0 is enough if no formula has
  // thread variables. False: such a vector would be too large.
  bool make(const Compiled& compiled, std::uint32_t most_places);

  static constexpr std::size_t variable_at(std::uint32_t variable) { return 1 + std::size_t{2} * variable; }
  std::size_t row_at(std::size_t row) const { return first_shell + row * linear + row * row * pair; }
  std::size_t words_for(std::size_t rows) const { return row_at(rows); }
  // What an entry says about a row: [0] is the thread that it means, then the values.
  std::size_t pair_at(std::size_t row, std::size_t about) const {
    return about <= row ? row_at(row) + linear + about * pair : row_at(about) + linear + (about + 1 + row) * pair;
  }
  std::size_t role_pair_at(std::size_t which, std::size_t about) const { return row_at(about) + role[which].about_at; }
};

// The result of a merge.
struct News {
  bool any = false;     // something has changed, if only a number of writes
  bool visible = false; // something that a formula can see, other than a row
  bool ahead = false;   // `to` knew something that `from` does not
  Word rows = 0;        // bit r: row r has changed; all of them, if one does not fit in
};
// `to` <- the newer of both, entry by entry. `to` has room for all rows of `from`.
News merge(const Layout& layout, Word* to, const Word* from);
// Whether `a` knows all that `b` knows.
bool covers(const Layout& layout, const Word* a, const Word* b);
// `to` <- `from`.
inline void copy(const Layout& layout, Word* to, const Word* from) {
  const std::size_t words = layout.words_for(from[0]);
  for (std::size_t i = 0; i < words; ++i) to[i] = from[i]; // words are few; a loop beats a call of memcpy
}
// As many rows are in use from now on; of the new ones nothing is known.
void grow(const Layout& layout, Word* vector, Word rows);

} // namespace sooth::knowledge
