// Small comparisons of a known size, for which code generation has instructions of its own: they are recorded like any other.
// EXPECT: read * x4
// EXPECT-EXIT: 3
#include <string.h>

char a[16] = "abcdefghijkl", b[16] = "abcdefghijkl";

int main(void) { return (memcmp(a, b, 12) == 0) + 2 * (memcmp(a, b, 4) == 0); }
