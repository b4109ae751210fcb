// Counts by number, zero unless raised: a vector clock for programs that create threads without
// end.
//
//     clock of main    1 0 0 0 ...                    after fork, before the child's first step,
//     clock of child   1 0 0 0 ...   same nodes       the child shares all of its creator's clock
//     child raises its own count     one leaf copied  and parts only with the nodes that it changes
//
// A tree. Each leaf has the counts of 16 neighbouring numbers. Copies share all nodes, and copy a
// node when they change it. A copy costs O(1), raising one count O(log numbers), joining two clocks
// as much as they differ. A thread that is created, does its work and is joined differs from its
// creator in a few counts only. So the clocks of a program with n threads cost about n log n
// altogether, where plain vectors cost n * n.
//
// Several threads may use copies at once; one copy belongs to one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sooth {

class SharedCounts {
public:
  using Count = std::uint32_t;

  SharedCounts() = default;
  SharedCounts(const SharedCounts& other) : root_(share(other.root_)) {}
  SharedCounts(SharedCounts&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  SharedCounts& operator=(SharedCounts other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~SharedCounts() { release(root_); }

  Count operator[](std::uint32_t number) const;
  // Only upwards.
  void raise(std::uint32_t number, Count count);
  void join(const SharedCounts& other) { join(other, SharedCounts()); }
  // As above, if `known` was joined before: only the parts in which the other one differs from
  // `known` are looked at.
  void join(const SharedCounts& other, const SharedCounts& known);
  // The smaller count of each number.
  static SharedCounts common(const SharedCounts& a, const SharedCounts& b);
  // Whether every count is at least the other's.
  bool covers(const SharedCounts& other) const;
  bool empty() const { return root_ == nullptr; }

private:
  static constexpr unsigned kLeafBits = 4, kChildBits = 3;
  static constexpr std::size_t kCounts = std::size_t{1} << kLeafBits, kChildren = std::size_t{1} << kChildBits;

  // Invariant: something below a node is not zero.
  struct Node {
    explicit Node(std::uint32_t height) : height(height) {}
    std::atomic<std::uint32_t> users{1};
    const std::uint32_t height; // 0: a leaf
    union {
      Node* children[kChildren] = {}; // may be null
      Count counts[kCounts];
    };
  };
  static_assert(sizeof(Node*) * kChildren == sizeof(Count) * kCounts, "either clears all of the union");

  class Merges;

  static unsigned shift(std::uint32_t height) { return kLeafBits + kChildBits * (height - 1); } // height > 0
  static bool fits(std::uint32_t number, std::uint32_t height) {
    return std::uint64_t{number} < std::uint64_t{kCounts} << (kChildBits * height);
  }
  static Node* share(Node* node) {
    if (node != nullptr) node->users.fetch_add(1, std::memory_order_relaxed); // the sharing copy has it already
    return node;
  }
  static void release(Node* node);
  static void replace(Node*& node, Node* by);
  static bool is_shared(const Node* node) { return node->users.load(std::memory_order_acquire) != 1; }
  static void make_own(Node*& node);
  static void merge(Node*& into, Node* from, const Node* known = nullptr);
  static void merge_shared(Node*& into, Node* from);
  static void merge_leaves(Node*& into, Node* from);
  static bool covers(const Node* node, const Node* other);
  static Node* common(Node* a, Node* b);
  void grow(std::uint32_t height);

  Node* root_ = nullptr;
};

} // namespace sooth
