// MLLVM: -sooth-ignorelist=$DIR/left_out.txt
// An annotation, an attribute, and an ignorelist leave functions out, inlined or not.
// LOG: write4 0x1 'seen'
// LOG-NOT: write4 @@'annotated'
// LOG-NOT: write4 @@'attributed'
// LOG-NOT: write4 @@'by_function'
// LOG-NOT: write4 @@'by_demangled'
// LOG-NOT: write4 @@'by_source'
// LOG: write4 0x6 'ours'
// What a function that is left out calls is recorded, and the other way round, also where it would be inlined.
// LOG: write4 0x8 'below'
// LOG: write4 0x9 'always_below'
// LOG: write4 0xa 'by_pointer'
// LOG-NOT: write4 @@'above'
// LOG-NOT: write4 @@'always_left_out'
#include "left_out.h"
#include <cstdio>

int below, always_below, by_pointer, above, always_left_out;
int seen, annotated, attributed, by_function, by_demangled, ours;

__attribute__((annotate("sooth_no_record"))) static void f1(int n) { annotated = n; }
__attribute__((disable_sanitizer_instrumentation)) static void f2(int n) { attributed = n; }
static void skip_me(int n) { by_function = n; }
namespace net {
struct Socket {
  static void skip(int n) { by_demangled = n; }
};
} // namespace net
static void fine(int n) { ours = n; }

static void recorded_below(int n) { below = n; }
__attribute__((always_inline)) static inline void recorded_always(int n) { always_below = n; }
static void recorded_by_pointer(int n) { by_pointer = n; }
static void skip_me_above(int n) {
  void (*const function)(int) = recorded_by_pointer;
  above = n;
  recorded_below(n + 1);
  recorded_always(n + 2);
  function(n + 3);
}
__attribute__((always_inline)) static inline void skip_me_always(int n) { always_left_out = n; }

int main(int argc, char**) {
  skip_me_above(argc + 6);
  skip_me_always(argc);
  std::printf("%d %d %d %d %d\n", below, always_below, by_pointer, above, always_left_out);
  seen = argc;
  f1(argc + 1);
  f2(argc + 2);
  skip_me(argc + 3);
  net::Socket::skip(argc + 4);
  fine(argc + 5);
  from_header(argc + 6);
  std::printf("%d %d %d %d %d %d %d\n", seen, annotated, attributed, by_function, by_demangled, ours, by_source);
}
