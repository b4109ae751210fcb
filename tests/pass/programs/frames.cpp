// FLAGS: -std=c++17
// The shadow stack through calls, exceptions, tail calls and longjmp.
// LOG: stack deep main outer(int) middle(int) inner(int)
// LOG: stack caught main outer(int)
// LOG: stack after main
// LOG: stack jumped main jumper()
// LOG: stack end main
// LOG: called-from 'fake_called_from' at frames.cpp:@@ in main call
// LOG: stack tail main @@last(int)
#include <csetjmp>
#include <cstdio>
#include <stdexcept>

extern "C" void fake_stack(const char* tag) __attribute__((weak));
extern "C" void fake_called_from() __attribute__((weak));
static void stack(const char* tag) __attribute__((annotate("sooth_no_record")));
static void stack(const char* tag) {
  if (fake_stack) fake_stack(tag);
}

int shared;
static std::jmp_buf place;

struct Cleanup {
  ~Cleanup() { ++shared; }
};

__attribute__((noinline)) int inner(int n) {
  stack("deep");
  Cleanup cleanup;
  if (n > 0) throw std::runtime_error("thrown");
  return shared;
}
__attribute__((noinline)) int middle(int n) {
  Cleanup cleanup;
  return inner(n) + 1;
}
__attribute__((noinline)) int outer(int n) {
  try {
    return middle(n) + 1;
  } catch (const std::exception& e) {
    stack("caught");
    std::printf("%s %d\n", e.what(), shared);
    return 5;
  }
}
__attribute__((noinline)) void jump(int depth) {
  ++shared;
  if (depth > 0) jump(depth - 1);
  else longjmp(place, 3);
  ++shared;
}
__attribute__((noinline)) int jumper() {
  const int came = setjmp(place);
  if (came == 0) jump(4);
  stack("jumped");
  return came;
}
__attribute__((noinline)) int last(int n) {
  stack("tail");
  return shared + n;
}
__attribute__((noinline)) int tail(int n) {
  ++shared;
#if __has_cpp_attribute(clang::musttail)
  [[clang::musttail]] return last(n);
#else
  return last(n);
#endif
}

int main(int argc, char**) {
  int sum = outer(argc);
  stack("after");
  sum += jumper();
  sum += tail(argc);
  stack("end");
  if (fake_called_from) fake_called_from();
  std::printf("%d %d\n", sum, shared);
}
