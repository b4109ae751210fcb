// Patterns: can the events so far still become a word of the pattern?
//
//     pattern (suspend resume)*     suspend, resume, suspend: fine, a resume may follow
//                                   suspend, suspend: violated, no word begins so
//
// Source: jPredictor, section 5.3, which checks regular patterns such as (suspend resume)*;
//   compiled by Brzozowski's derivatives.
// Where we differ: patterns are read as safety properties. A run violates one as soon as its events
//   are not a prefix of any word of it. A run that ends in the middle of a word does not: the
//   program could have gone on.
// Cost: one look into a table for each event. The table may have exponentially many states
//   (complements and intersections can need that); beyond a limit the pattern is refused.
#include "logic/ere.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "logic/ere_terms.h"
#include "logic/syntax/nearest.h"
#include "logic/table_monitor.h"

namespace sooth::logic {
namespace {

constexpr std::size_t kMaxStates = 4096;
constexpr std::size_t kMaxWork = std::size_t{1} << 23; // a second or so
constexpr std::size_t kMaxParts = 1000;                // code that walks a pattern may recurse

std::size_t parts_of(const Node& node) {
  std::size_t parts = 1;
  for (const Node& child : node.children) parts += parts_of(child);
  return parts;
}

class PatternBuilder {
public:
  PatternBuilder(const SyntaxFile& file, const SyntaxEntry& entry) : file_(file), entry_(entry) {
    for (const SyntaxName& event : entry.over) events_.push_back(event.text);
  }

  Result<MonitorPointer> run() {
    if (parts_of(entry_.body) > kMaxParts)
      return file_.error(entry_.body.first,
                         "the pattern is too long: it has more than " + std::to_string(kMaxParts) + " parts");
    const EreTerms::Term whole = term(entry_.body);
    if (error_) return *error_;
    if (!explore(whole))
      return file_.error(entry_.name.at,
                         "the pattern is too large: its monitor would need too many states (the limit is " +
                             std::to_string(kMaxStates) + ")");
    find_dead();
    if (dead_[0]) return file_.error(entry_.body.first, "the pattern matches nothing, so every run would violate it");
    return make_table_monitor(smallest_table());
  }

private:
  EreTerms::Term term(const Node& node) {
    if (node.form == Form::Symbol) {
      const auto at = std::find(events_.begin(), events_.end(), node.text);
      if (at == events_.end()) {
        if (!error_)
          error_ = file_.error(node.begin, "'" + node.text + "' is not one of the events that this pattern is over" +
                                               did_you_mean(node.text, events_));
        return terms_.empty();
      }
      return terms_.symbol(static_cast<std::uint32_t>(at - events_.begin()));
    }
    std::vector<EreTerms::Term> parts;
    parts.reserve(node.children.size());
    for (const Node& child : node.children) parts.push_back(term(child));
    switch (node.op) {
    case Operator::Union: return terms_.union_of(std::move(parts));
    case Operator::Intersection: return terms_.intersection_of(std::move(parts));
    case Operator::PatternNot: return terms_.complement(parts[0]);
    case Operator::Star: return terms_.star(parts[0]);
    case Operator::Repeat: return terms_.concatenation(parts[0], terms_.star(parts[0]));
    case Operator::Optional: return terms_.union_of({terms_.epsilon(), parts[0]});
    case Operator::Empty: return terms_.empty();
    case Operator::AnyEvent: {
      for (std::uint32_t event = 0; event < events_.size(); ++event) parts.push_back(terms_.symbol(event));
      return terms_.union_of(std::move(parts));
    }
    case Operator::Concatenation: {
      EreTerms::Term result = terms_.epsilon();
      for (std::size_t i = parts.size(); i-- > 0;) result = terms_.concatenation(parts[i], result);
      return result;
    }
    default: return terms_.epsilon();
    }
  }

  // States are the derivatives of the pattern; false: there are too many.
  bool explore(EreTerms::Term whole) {
    std::map<EreTerms::Term, std::uint32_t> numbers{{whole, 0}};
    states_ = {whole};
    for (std::size_t i = 0; i < states_.size(); ++i) {
      for (std::uint32_t event = 0; event < events_.size(); ++event) {
        const EreTerms::Term next = terms_.derivative(states_[i], event);
        const auto [at, fresh] = numbers.try_emplace(next, static_cast<std::uint32_t>(states_.size()));
        if (fresh) states_.push_back(next);
        next_.push_back(at->second);
        if (states_.size() > kMaxStates || terms_.work() > kMaxWork) return false;
      }
    }
    return true;
  }

  // Dead: no word of the pattern can be reached any more.
  void find_dead() {
    dead_.assign(states_.size(), true);
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (terms_.nullable(states_[i])) dead_[i] = false;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = states_.size(); i-- > 0;) {
        if (!dead_[i]) continue;
        for (std::size_t event = 0; event < events_.size(); ++event) {
          if (dead_[next_[i * events_.size() + event]]) continue;
          dead_[i] = false;
          changed = true;
          break;
        }
      }
    }
  }

  // States that no future distinguishes become one: explorers keep sets of them. Only death is seen
  // from outside, but descriptions mention complete words, too, so these stay separate.
  TransitionTable smallest_table() const {
    const std::size_t n = states_.size(), k = events_.size();
    std::vector<std::uint32_t> block(n);
    for (std::size_t i = 0; i < n; ++i) block[i] = dead_[i] ? 0 : terms_.nullable(states_[i]) ? 1 : 2;
    for (std::size_t blocks = 0;;) {
      std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;
      std::vector<std::uint32_t> refined(n);
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<std::uint32_t> signature{block[i]};
        for (std::size_t e = 0; e < k; ++e) signature.push_back(block[next_[i * k + e]]);
        refined[i] =
            numbers.try_emplace(std::move(signature), static_cast<std::uint32_t>(numbers.size())).first->second;
      }
      block = std::move(refined);
      if (numbers.size() == blocks) break;
      blocks = numbers.size();
    }
    TransitionTable table;
    table.events = static_cast<std::uint32_t>(k);
    table.initial = block[0];
    const std::size_t size = *std::max_element(block.begin(), block.end()) + std::size_t{1};
    table.next.resize(size * k);
    table.violated.resize(size);
    table.states.resize(size);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t e = 0; e < k; ++e) table.next[block[i] * k + e] = block[next_[i * k + e]];
      table.violated[block[i]] = dead_[i];
      table.states[block[i]] = description(i);
    }
    return table;
  }

  std::string description(std::size_t state) const {
    if (dead_[state]) return "no word of the pattern begins like this";
    std::string text;
    for (std::size_t e = 0; e < events_.size(); ++e)
      if (!dead_[next_[state * events_.size() + e]]) text += (text.empty() ? "" : " or ") + events_[e];
    if (text.empty()) return "complete; nothing may follow";
    return (terms_.nullable(states_[state]) ? "complete; may go on with " : "goes on with ") + text;
  }

  const SyntaxFile& file_;
  const SyntaxEntry& entry_;
  std::vector<std::string> events_;
  EreTerms terms_;
  std::optional<Error> error_;
  std::vector<EreTerms::Term> states_;
  std::vector<std::uint32_t> next_;
  std::vector<bool> dead_;
};

} // namespace

Result<MonitorPointer> make_pattern_monitor(const SyntaxFile& file, const SyntaxEntry& entry) {
  return PatternBuilder(file, entry).run();
}

} // namespace sooth::logic
