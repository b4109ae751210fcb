// The code of std::shared_ptr asks libc whether threads were created yet. Its answer changes
// without an event, and is no change from outside.
// EXPECT: external-write * x0
// EXPECT: atomic-rmw * >=2
// EXPECT-OUTPUT: 3
#include <cstdio>
#include <memory>
#include <thread>

struct Node {
  std::weak_ptr<Node> other;
  int hits = 0;
};

void hit(const std::shared_ptr<Node>& node) {
  const std::shared_ptr<Node> other = node->other.lock();
  if (other) ++other->hits;
}

int main() {
  const auto a = std::make_shared<Node>(), b = std::make_shared<Node>();
  a->other = b;
  b->other = a;
  hit(a); // before any thread
  std::thread first([a] { hit(a); });
  first.join();
  std::thread second([b] { hit(b); });
  second.join();
  std::printf("%d\n", a->hits + b->hits);
}
