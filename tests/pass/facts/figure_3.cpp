// Figure 3 of jPredictor, as its text tells it, and its loop in the forms that C++ tells apart. A comment with an at sign names the line.
// clang-format off: a mark stands on the line that it names.
#include <sooth/sooth.h>

int i, x, y, z;
int go_on; // atomic by its accesses: the functions of std::atomic are not inlined at -O0
int table[8];

#define ATOMIC_READ(variable) __atomic_load_n(&variable, __ATOMIC_SEQ_CST)
#define FUNCTION extern "C" __attribute__((noinline)) void

FUNCTION figure_3a() {
  if (i > 0) // @A.C1
    x = 1;   // @A.S1
  else
    y = 1; // @A.S2
  z = x;   // @A.S3
}

// Nothing in the loop counts as progress, so C++ lets one assume that it ends.
FUNCTION figure_3b() {
  while (i > 0) // @B.C1
    y = 1;      // @B.S1
  z = y;        // @B.S2
}

// An atomic read is progress: the loop may go on for ever.
FUNCTION waiting() {
  while (ATOMIC_READ(go_on) > 0) // @W.C1
    y = 1;                 // @W.S1
  z = y;                   // @W.S2
}

FUNCTION annotated() {
  while (ATOMIC_READ(go_on) > 0) { // @T.C1
    SOOTH_TERMINATES();
    y = 1; // @T.S1
  }
  z = y; // @T.S2
}

FUNCTION counted() {
  for (int n = 0; n < 100; ++n) // @N.C1
    __atomic_store_n(&go_on, n, __ATOMIC_SEQ_CST);             // @N.S1
  z = y;                        // @N.S2
}

// One way through the loop passes by the place where it can end.
FUNCTION passed_by() {
  for (;;) {
    if (ATOMIC_READ(go_on) == 1) continue; // @P.C1
    if (ATOMIC_READ(go_on) == 2) break;    // @P.C2
    y = 1;                           // @P.S1
  }
  z = y; // @P.S2
}

int main() {}
