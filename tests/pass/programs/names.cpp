// FLAGS: -std=c++17
// Names in C++: namespaces, static members, references, this, statics of functions, containers.
// LOG: write4 0x1 'net::state'@@signed
// LOG: write4 0x2 'A::x'
// LOG: write4 0x3 'this->member'
// LOG: write4 0x4 'r.field'
// LOG: write4 0x5 'counter'
// LOG: write4 0x6 '@@[...]'
// LOG: write4 0x7 '@@->field'
// LOG: write4 0x8 'node->next->value'
// LOG: write4 0x9 'hidden'
// LOG: write4 0xa 'this->inherited'
// LOG: write4 0xb 'number'
// LOG: global net::state : int size 4
// LOG: global A::x : int size 4
// LOG: global f(int)::counter : volatile int size 4
// LOG: global names.cpp:hidden : volatile int size 4
// LOG: global list : Node* size 8
#include <cstdio>
#include <memory>
#include <vector>

namespace net {
inline namespace v1 {
int state;
}
} // namespace net
struct Base {
  int inherited = 0;
};
struct A : Base {
  int padding = 0;
  static int x;
  int member = 0;
  __attribute__((noinline)) void set(int n) {
    member = n + 2;
    inherited = n + 9;
  }
};
int A::x;
struct S {
  int other = 0;
  int field = 0;
};
struct Node {
  Node* next = nullptr;
  int value = 0;
};
Node* list;
namespace {
volatile int hidden;
}

__attribute__((noinline)) void refer(S& r, int& number, int n) {
  r.field = n + 3;
  number = n + 10;
}
__attribute__((noinline)) void f(int n) {
  static volatile int counter;
  counter = n + 4;
  std::printf("%d\n", counter);
}
__attribute__((noinline)) void fill(std::vector<int>& v, std::size_t i, int n) { v.data()[i] = n + 5; }
__attribute__((noinline)) void smart(const std::shared_ptr<S>& p, int n) { p->field = n + 6; }
__attribute__((noinline)) void link(Node* node, int n) { node->next->value = n + 7; }

int main(int argc, char**) {
  net::state = argc;
  A::x = argc + 1;
  A a;
  a.set(argc);
  S s;
  int number = 0;
  refer(s, number, argc);
  f(argc);
  std::vector<int> v(4);
  fill(v, static_cast<std::size_t>(argc), argc);
  auto p = std::make_shared<S>();
  smart(p, argc);
  Node second;
  Node first{&second, 0};
  list = &first;
  link(list, argc);
  hidden = argc + 8;
  std::printf("%d %d %d %d %d %d %d %d %d %d\n", net::state, A::x, a.member, a.inherited, s.field, number, v[1],
              p->field, second.value, hidden);
}
