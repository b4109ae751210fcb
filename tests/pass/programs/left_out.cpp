// MLLVM: -sooth-ignorelist=$DIR/left_out.txt
// An annotation, an attribute, and an ignorelist leave functions out, inlined or not.
// LOG: write4 0x1 'seen'
// LOG-NOT: write4 @@'annotated'
// LOG-NOT: write4 @@'attributed'
// LOG-NOT: write4 @@'by_function'
// LOG-NOT: write4 @@'by_demangled'
// LOG-NOT: write4 @@'by_source'
// LOG: write4 0x6 'ours'
#include "left_out.h"
#include <cstdio>

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

int main(int argc, char**) {
  seen = argc;
  f1(argc + 1);
  f2(argc + 2);
  skip_me(argc + 3);
  net::Socket::skip(argc + 4);
  fine(argc + 5);
  from_header(argc + 6);
  std::printf("%d %d %d %d %d %d %d\n", seen, annotated, attributed, by_function, by_demangled, ours, by_source);
}
