#include "logic/syntax/shape.h"

#include <algorithm>

#include "logic/syntax/nearest.h"

namespace sooth::logic {
namespace {

constexpr int kPrefixOfFormulas = 7; // binding of `once`, `not`, ...: looser than all of C's operators

// Precedence climbing. The recursion goes as deep as the tree that it makes.
class Shaper {
public:
  Shaper(std::vector<Item> items, Use use) : items_(std::move(items)), use_(use) {}

  Node run() { return binary(1, 0); }

private:
  Node binary(int loosest, std::size_t depth) {
    Node left = prefixed(depth + 1);
    // Left-leaning chains (a && b && c ...) are made in this loop; each turn makes the tree one
    // deeper.
    for (std::size_t turns = 0; next_ < items_.size(); ++turns) {
      const Item& item = items_[next_];
      const Operator op = find(item, Stand::Binary);
      const OperatorRow& row = operator_row(op);
      if (row.binding < loosest) break;
      check_depth(depth + turns, item.at);
      const std::size_t at = item.at;
      ++next_;
      const bool to_the_right = op == Operator::Implies;
      Node right = binary(to_the_right ? row.binding : row.binding + 1, depth + 1);
      left = operation(op, at, std::move(left), std::move(right));
    }
    return left;
  }

  Node prefixed(std::size_t depth) {
    Item& item = items_[next_++];
    if (item.what == Item::What::Operand) {
      const bool is_word = item.node.form == Form::Name && item.node.path.empty() && !item.node.grouped;
      word_before_ = is_word ? item.node.text : "";
      word_before_at_ = item.node.begin;
      return std::move(item.node);
    }
    check_depth(depth, item.at);
    const Operator op = find(item, Stand::Prefix);
    const Item& following = items_[next_];
    // once(p): what stands in the parentheses and nothing else, so that once(x) > 0 cannot be
    // misread.
    const bool like_a_call = following.what == Item::What::Operand && following.node.grouped;
    const bool of_formulas = operator_row(op).binding == kPrefixOfFormulas;
    const std::size_t at = item.at;
    Node inner = of_formulas && !like_a_call ? binary(kPrefixOfFormulas + 1, depth + 1) : prefixed(depth + 1);
    Node node = operation(op, at, std::move(inner));
    node.first = at;
    return node;
  }

  template <typename... Nodes>
  Node operation(Operator op, std::size_t at, Nodes... children) {
    Node node;
    node.form = Form::Operation;
    node.op = op;
    node.begin = at;
    (node.children.push_back(std::move(children)), ...);
    node.first = node.children.front().first;
    node.last = node.children.back().last;
    for (const Node& child : node.children) node.depth = std::max(node.depth, child.depth + 1);
    check_depth(node.depth, at);
    return node;
  }

  Operator find(const Item& item, Stand stand) const {
    if (const auto op = find_operator(item.spelling, stand, use_)) {
      const Use use = operator_row(*op).use;
      if (use == Use::Future && use_ == Use::Past)
        throw ShapeError{item.at, "'" + item.spelling + "' speaks of the future; it can only be used in 'liveness'"};
      if (use == Use::Past && use_ == Use::Future)
        throw ShapeError{item.at, "'" + item.spelling + "' speaks of the past; it cannot be used in 'liveness'"};
      return *op;
    }
    const std::string near = nearest(item.spelling, stand);
    // In `histerically x == 1` the word before is misspelt: `x` only stands where an operator is
    // expected, and an operator follows it.
    const bool is_operand =
        next_ + 1 == items_.size() || find_operator(items_[next_ + 1].spelling, Stand::Binary, use_).has_value();
    if (stand == Stand::Binary && is_operand && !word_before_.empty()) {
      if (const std::string prefix = nearest(word_before_, Stand::Prefix); !prefix.empty())
        throw ShapeError{word_before_at_, "unknown operator '" + word_before_ + "'" + prefix};
    }
    throw ShapeError{item.at, "unknown operator '" + item.spelling + "'" + near};
  }

  std::string nearest(const std::string& spelling, Stand stand) const {
    std::vector<std::string> known;
    for (const OperatorRow& row : operator_rows())
      if (row.stand == stand && (row.use == use_ || row.use == Use::Any))
        for (std::string& known_spelling : spellings_of(row))
          if (known_spelling.size() > 1) known.push_back(std::move(known_spelling)); // every letter is near `S`
    return did_you_mean(spelling, known);
  }

  static void check_depth(std::size_t depth, std::size_t at) {
    if (depth > kMaxTreeDepth)
      throw ShapeError{at, "the formula is nested too deeply or too long (more than " + std::to_string(kMaxTreeDepth) +
                               " levels of operators)"};
  }

  std::vector<Item> items_;
  Use use_;
  std::size_t next_ = 0;
  std::string word_before_; // the operand that was read last, if it is a plain name
  std::size_t word_before_at_ = 0;
};

} // namespace

Node shape_formula(std::vector<Item> items, Use use) { return Shaper(std::move(items), use).run(); }

} // namespace sooth::logic
