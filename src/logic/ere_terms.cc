#include "logic/ere_terms.h"

#include <algorithm>

namespace sooth::logic {

EreTerms::EreTerms() {
  intern(Kind::Empty, {}, false);
  intern(Kind::Epsilon, {}, true);
  intern(Kind::Complement, {empty()}, true);
}

EreTerms::Term EreTerms::intern(Kind kind, std::vector<Term> parts, bool nullable) {
  const auto [at, fresh] = known_.try_emplace({kind, parts}, static_cast<Term>(nodes_.size()));
  work_ += 1 + parts.size();
  if (fresh) nodes_.push_back({kind, nullable, std::move(parts)});
  return at->second;
}

EreTerms::Term EreTerms::symbol(std::uint32_t event) { return intern(Kind::Symbol, {event}, false); }

EreTerms::Term EreTerms::concatenation(Term a, Term b) {
  if (a == empty() || b == empty()) return empty();
  if (a == epsilon()) return b;
  if (b == epsilon()) return a;
  // (x y) z is x (y z): one form for both.
  if (nodes_[a].kind == Kind::Concatenation) {
    const Term first = nodes_[a].parts[0], second = nodes_[a].parts[1];
    return concatenation(first, concatenation(second, b));
  }
  return intern(Kind::Concatenation, {a, b}, nullable(a) && nullable(b));
}

EreTerms::Term EreTerms::star(Term a) {
  if (a == empty() || a == epsilon()) return epsilon();
  if (a == all() || nodes_[a].kind == Kind::Star) return a;
  return intern(Kind::Star, {a}, true);
}

EreTerms::Term EreTerms::complement(Term a) {
  if (nodes_[a].kind == Kind::Complement) return nodes_[a].parts[0];
  return intern(Kind::Complement, {a}, !nullable(a));
}

EreTerms::Term EreTerms::set(Kind kind, std::vector<Term> parts) {
  const bool is_union = kind == Kind::Union;
  const Term neutral = is_union ? empty() : all();
  const Term absorbing = is_union ? all() : empty();
  std::vector<Term> flat;
  work_ += parts.size();
  for (const Term part : parts) {
    if (part == absorbing) return absorbing;
    if (part == neutral) continue;
    if (nodes_[part].kind == kind) flat.insert(flat.end(), nodes_[part].parts.begin(), nodes_[part].parts.end());
    else flat.push_back(part);
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return neutral;
  if (flat.size() == 1) return flat.front();
  const auto has = [&](Term t) { return nullable(t); };
  const bool null = is_union ? std::any_of(flat.begin(), flat.end(), has) : std::all_of(flat.begin(), flat.end(), has);
  return intern(kind, std::move(flat), null);
}

EreTerms::Term EreTerms::derivative(Term t, std::uint32_t event) {
  const std::uint64_t key = std::uint64_t{t} << 32 | event;
  if (const auto known = derivatives_.find(key); known != derivatives_.end()) return known->second;
  const Node node = nodes_[t]; // a copy: nodes_ grows below
  Term result = empty();
  switch (node.kind) {
  case Kind::Empty:
  case Kind::Epsilon: break;
  case Kind::Symbol: result = node.parts[0] == event ? epsilon() : empty(); break;
  case Kind::Concatenation: {
    const Term left = concatenation(derivative(node.parts[0], event), node.parts[1]);
    result = nullable(node.parts[0]) ? union_of({left, derivative(node.parts[1], event)}) : left;
    break;
  }
  case Kind::Star: result = concatenation(derivative(node.parts[0], event), t); break;
  case Kind::Complement: result = complement(derivative(node.parts[0], event)); break;
  case Kind::Union:
  case Kind::Intersection: {
    std::vector<Term> parts;
    parts.reserve(node.parts.size());
    for (const Term part : node.parts) parts.push_back(derivative(part, event));
    result = set(node.kind, std::move(parts));
    break;
  }
  }
  derivatives_.emplace(key, result);
  return result;
}

} // namespace sooth::logic
