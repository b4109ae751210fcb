// Extended regular expressions as shared terms, and their derivatives (Brzozowski).
//
//     derivative of (a b)* by a: b (a b)*      by b: empty
//
// Terms are kept in a normal form (unions and intersections are sorted sets, and so on), so that an
// expression has finitely many different derivatives. Equal terms have equal numbers.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace sooth::logic {

class EreTerms {
public:
  using Term = std::uint32_t;

  EreTerms();

  Term empty() const { return 0; }   // no word
  Term epsilon() const { return 1; } // the empty word
  Term all() const { return 2; }     // every word: complement of `empty`
  Term symbol(std::uint32_t event);
  Term concatenation(Term a, Term b);
  Term star(Term a);
  Term complement(Term a);
  Term union_of(std::vector<Term> parts) { return set(Kind::Union, std::move(parts)); }
  Term intersection_of(std::vector<Term> parts) { return set(Kind::Intersection, std::move(parts)); }

  // Whether the empty word is in it.
  bool nullable(Term t) const { return nodes_[t].nullable; }
  // The words that may follow after `event`.
  Term derivative(Term t, std::uint32_t event);

  // Parts of terms that were looked at so far, for budgets in time and memory.
  std::size_t work() const { return work_; }

private:
  enum class Kind : std::uint8_t { Empty, Epsilon, Symbol, Concatenation, Star, Complement, Union, Intersection };
  struct Node {
    Kind kind;
    bool nullable;
    std::vector<Term> parts; // Symbol: the event's number
  };

  Term intern(Kind kind, std::vector<Term> parts, bool nullable);
  Term set(Kind kind, std::vector<Term> parts);

  std::vector<Node> nodes_;
  std::size_t work_ = 0;
  absl::flat_hash_map<std::pair<Kind, std::vector<Term>>, Term> known_;
  absl::flat_hash_map<std::uint64_t, Term> derivatives_; // term << 32 | event
};

} // namespace sooth::logic
