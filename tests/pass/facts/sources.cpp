// Each kind of data dependence once. A comment with an at sign names the line.
// clang-format off: a mark stands on the line that it names.
#include <cstring>

int a, b, c, x;
int table[16];
int word; // atomic by its accesses: std::atomic's own functions are not inlined at -O0
thread_local int own;

extern "C" {
int outside(int value); // has no hooks
void impure();
int declared_const(int value) __attribute__((const));
}

#define FUNCTION extern "C" __attribute__((noinline))

FUNCTION void copied() { b = a; }                               // @copied
FUNCTION void computed() { b = a * 3 + c; }                     // @computed
FUNCTION void passed(int* place, int value) { *place = value; } // @passed
FUNCTION int summed(int count) {
  int sum = 0;
  for (int n = 0; n < count; ++n) sum += table[n]; // @summed
  return sum;
}
FUNCTION void chosen() {
  int value = 2;
  if (a > 0) value = outside(1); // @chosen.branch
  b = value;                     // @chosen
}
FUNCTION void of_outside() { b = outside(a); }         // @outside
FUNCTION void of_const() { b = declared_const(a); }    // @const
FUNCTION void handed(void (*f)(int), int v) { f(v); }  // @handed
FUNCTION void of_callee(int v) { b = summed(v); }      // @callee
FUNCTION void through_private(int which) {
  volatile int local[2];
  local[0] = a; // @private.0
  local[1] = which;
  b = local[1]; // @private
}
FUNCTION void through_index() {
  volatile int local[4];
  local[a & 3] = 1; // @index
  b = local[0];
}
FUNCTION void of_case_3() {
  if (a > 0) x = 1; // @case3.branch
  b = x;            // @case3
}
FUNCTION void of_impure() {
  impure(); // @impure
  b = x;    // @afterwards
}
FUNCTION void divided() { b = 100 / a; }                               // @divided
FUNCTION bool exchanged(int old) { return __atomic_compare_exchange_n(&word, &old, a, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } // @exchanged
FUNCTION void added() { __atomic_fetch_add(&word, a, __ATOMIC_SEQ_CST); }                           // @added
FUNCTION void moved(int from) { std::memmove(table, table + from, 40); } // @moved
FUNCTION void thread_local_one() { b = own; }                          // @own
FUNCTION void printed(char* text) { table[0] = static_cast<int>(std::strlen(text)); } // @strlen
FUNCTION int twice(bool first) {
  const int one = a; // @twice.a
  const int two = c; // @twice.c
  return first ? one - two : one * two; // each is loaded whatever is chosen
}
FUNCTION int variadic(int count, ...) { return count + c; }
FUNCTION void of_variadic() { b = variadic(1, a); } // @variadic

int main() {}
