#include "base/shared_counts.h"

#include <algorithm>
#include <iterator>

namespace sooth {

// Results of the latest merges of shared nodes. If many threads learn the same from each other,
// each of them would compare all counts again, only to find that the same parts of both clocks give
// the same result as before. Shared nodes never change, so the result can be kept.
class SharedCounts::Merges {
public:
  struct Entry {
    Node *into = nullptr, *from = nullptr, *both = nullptr;
  };
  ~Merges() {
    for (Entry& entry : entries_) clear(entry);
  }
  Entry& at(const Node* into, const Node* from) {
    const auto hash =
        (reinterpret_cast<std::uintptr_t>(into) >> 4) * 31 + (reinterpret_cast<std::uintptr_t>(from) >> 4);
    return entries_[hash * 0x9e3779b97f4a7c15u >> (64 - kBits)];
  }
  static void keep(Entry& entry, Node* into, Node* from, Node* both) {
    const Entry kept{share(into), share(from), share(both)};
    clear(entry);
    entry = kept;
  }

private:
  static constexpr unsigned kBits = 12;
  static void clear(Entry& entry) {
    release(entry.into);
    release(entry.from);
    release(entry.both);
    entry = {};
  }
  Entry entries_[std::size_t{1} << kBits];
};

void SharedCounts::release(Node* node) {
  if (node == nullptr || node->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (node->height != 0)
    for (Node* child : node->children) release(child);
  delete node;
}

void SharedCounts::replace(Node*& node, Node* by) {
  Node* const old = std::exchange(node, share(by));
  release(old);
}

void SharedCounts::make_own(Node*& node) {
  if (!is_shared(node)) return;
  Node* const copy = new Node(node->height);
  if (node->height == 0) std::ranges::copy(node->counts, copy->counts);
  else std::ranges::transform(node->children, copy->children, share);
  release(std::exchange(node, copy));
}

void SharedCounts::grow(std::uint32_t height) {
  while (root_->height < height) {
    Node* const above = new Node(root_->height + 1);
    above->children[0] = root_;
    root_ = above;
  }
}

SharedCounts::Count SharedCounts::operator[](std::uint32_t number) const {
  const Node* node = root_;
  if (node == nullptr || !fits(number, node->height)) return 0;
  while (node != nullptr && node->height != 0) {
    const unsigned bits = shift(node->height);
    node = node->children[number >> bits];
    number &= (1u << bits) - 1;
  }
  return node == nullptr ? 0 : node->counts[number];
}

void SharedCounts::raise(std::uint32_t number, Count count) {
  if ((*this)[number] >= count) return;
  std::uint32_t height = 0;
  while (!fits(number, height)) ++height;
  if (root_ == nullptr) root_ = new Node(height);
  else grow(height);
  Node** node = &root_;
  for (;;) {
    make_own(*node);
    height = (*node)->height;
    if (height == 0) break;
    const unsigned bits = shift(height);
    Node*& child = (*node)->children[number >> bits];
    number &= (1u << bits) - 1;
    if (child == nullptr) child = new Node(height - 1);
    node = &child;
  }
  (*node)->counts[number] = count;
}

void SharedCounts::join(const SharedCounts& other, const SharedCounts& known) {
  if (other.root_ == nullptr || root_ == other.root_) return;
  const bool comparable = known.root_ != nullptr && known.root_->height == other.root_->height;
  if (root_ == nullptr) return replace(root_, other.root_);
  grow(other.root_->height);
  // The other one's numbers are among the first of this one's.
  Node** node = &root_;
  while ((*node)->height > other.root_->height) {
    make_own(*node);
    Node*& child = (*node)->children[0];
    if (child == nullptr && (*node)->height > other.root_->height + 1) child = new Node((*node)->height - 1);
    if (child == nullptr) return replace(child, other.root_);
    node = &child;
  }
  merge(*node, other.root_, comparable ? known.root_ : nullptr);
}

void SharedCounts::merge_leaves(Node*& into, Node* from) {
  bool less = false, more = false;
  for (std::size_t i = 0; i < kCounts; ++i) {
    less |= into->counts[i] < from->counts[i];
    more |= into->counts[i] > from->counts[i];
  }
  if (!less) return;
  if (!more) return replace(into, from); // shared from now on: the next time there is nothing to compare
  make_own(into);
  for (std::size_t i = 0; i < kCounts; ++i) into->counts[i] = std::max(into->counts[i], from->counts[i]);
}

// Nodes of the same height. `into` has what `known` has.
void SharedCounts::merge(Node*& into, Node* from, const Node* known) {
  if (from == nullptr || into == from || from == known) return;
  if (into == nullptr) return replace(into, from);
  if (into->height == 0) return merge_leaves(into, from);
  if (!is_shared(into)) {
    for (std::size_t i = 0; i < kChildren; ++i)
      merge(into->children[i], from->children[i], known == nullptr ? nullptr : known->children[i]);
    if (std::ranges::equal(into->children, from->children)) replace(into, from);
    return;
  }
  thread_local Merges merges;
  if (const Merges::Entry& known = merges.at(into, from); known.into == into && known.from == from)
    return replace(into, known.both);
  Node* const before = share(into);
  merge_shared(into, from);
  Merges::keep(merges.at(before, from), before, from, into);
  release(before);
}

void SharedCounts::merge_shared(Node*& into, Node* from) {
  Node* children[kChildren];
  for (std::size_t i = 0; i < kChildren; ++i) merge(children[i] = share(into->children[i]), from->children[i]);
  if (std::ranges::equal(children, from->children)) {
    replace(into, from);
  } else if (!std::ranges::equal(children, into->children)) {
    Node* const both = new Node(into->height);
    std::ranges::copy(children, both->children);
    release(std::exchange(into, both));
    return; // it has the children now
  }
  for (Node* child : children) release(child);
}

bool SharedCounts::covers(const Node* node, const Node* other) {
  if (node == other || other == nullptr) return true;
  if (node == nullptr) return false;
  if (node->height == 0)
    return std::ranges::equal(node->counts, other->counts, [](Count mine, Count its) { return mine >= its; });
  return std::ranges::equal(node->children, other->children,
                            [](const Node* mine, const Node* its) { return covers(mine, its); });
}

// Of nodes of the same height; null if nothing is left.
SharedCounts::Node* SharedCounts::common(Node* a, Node* b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b) return share(a);
  Node* const out = new Node(a->height);
  bool any = false;
  if (a->height == 0) {
    std::ranges::transform(a->counts, b->counts, out->counts, [](Count x, Count y) { return std::min(x, y); });
    any = std::ranges::any_of(out->counts, [](Count count) { return count != 0; });
  } else {
    std::ranges::transform(a->children, b->children, out->children, [](Node* x, Node* y) { return common(x, y); });
    any = std::ranges::any_of(out->children, [](const Node* child) { return child != nullptr; });
  }
  if (any) return out;
  release(out);
  return nullptr;
}

SharedCounts SharedCounts::common(const SharedCounts& a, const SharedCounts& b) {
  // Numbers beyond the lower tree are zero in it.
  const auto of_height = [](const SharedCounts& of, std::uint32_t height) {
    Node* node = of.root_;
    while (node != nullptr && node->height > height) node = node->children[0];
    return node;
  };
  SharedCounts out;
  if (a.root_ == nullptr || b.root_ == nullptr) return out;
  const std::uint32_t height = std::min(a.root_->height, b.root_->height);
  out.root_ = common(of_height(a, height), of_height(b, height));
  return out;
}

bool SharedCounts::covers(const SharedCounts& other) const {
  if (other.root_ == nullptr) return true;
  const Node* node = root_;
  while (node != nullptr && node->height > other.root_->height) node = node->children[0];
  return node != nullptr && node->height == other.root_->height && covers(node, other.root_);
}

} // namespace sooth
