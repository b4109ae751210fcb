// An allocator that is linked in place of libc's: its objects are recorded as libc's are, once each.
// EXPECT: alloc * >=202
// EXPECT: alloc * <=240
// EXPECT: free * >=202
// EXPECT: free * <=240
// EXPECT-OUTPUT: 4900
// FLAGS: -ltcmalloc_minimal
#include "parts/allocator.h"

int main() {
  std::printf("%d\n", use_memory());
  return 0;
}
