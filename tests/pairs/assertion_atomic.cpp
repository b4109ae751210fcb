// A thread sets an atomic flag for a while, and another one asserts that it is not set. No access
// races, and the recorded run has the assertion behind both. In the other one the first thread was
// joined before.
// EXPECT: assertion flag @check @set
// MODELS: maximal
#undef NDEBUG
#include <cassert>

#include "pair.h"

int flag;

void* first(void* unused) {
  __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST); // @set
  __atomic_store_n(&flag, 0, __ATOMIC_SEQ_CST);
  if (BAD) at(0);
  return unused;
}
void* second(void* unused) {
  if (BAD) at(1);
  assert(__atomic_load_n(&flag, __ATOMIC_SEQ_CST) == 0); // @check
  return unused;
}

int main() {
  if (BAD) {
    run_both(first, second);
    return 0;
  }
  pthread_t thread;
  pthread_create(&thread, nullptr, first, nullptr);
  pthread_join(thread, nullptr);
  second(nullptr);
}
