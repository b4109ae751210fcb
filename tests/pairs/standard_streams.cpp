// Threads may write to the standard streams at the same time; so may they use locales, whose facets fill in caches. The error: a
// variable of the program, on the same lines.
// EXPECT: race lines @print
#include <iostream>
#include <locale>
#include <sstream>

#include "pair.h"

int lines, narrowed[2];

static void print(int thread) {
  if (BAD) ++lines;                                            // @print
  std::cerr << "thread " << thread << ' ' << 1.5 << std::endl; // its width, its state, its buffer
  std::wclog << thread;
  std::ostringstream text;
  text << std::hex << thread << '\n';
  narrowed[thread] = std::use_facet<std::ctype<char>>(std::locale()).narrow('x', '?');
}

void* first(void* unused) {
  print(0);
  at(0);
  return unused;
}
void* second(void* unused) {
  at(1);
  print(1);
  return unused;
}

int main() {
  run_both(first, second);
  return 0;
}
