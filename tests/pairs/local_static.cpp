// A static that the language initialises once, or a pointer that somebody checks by hand.
// EXPECT: race instance @publish @publish
// MAY: race
#include <thread>

#include "pair.h"

struct Service {
  explicit Service(int first) : value(first) {}
  int value;
};
Service* instance;
int seen[2];

Service& get() {
  if (BAD) {
    if (instance == nullptr) instance = new Service(1); // @publish
    return *instance;
  }
  static Service service(1);
  return service;
}

int main() {
  std::thread first([] {
    seen[0] = get().value;
    at(0);
  });
  std::thread second([] {
    at(1);
    seen[1] = get().value;
  });
  first.join();
  second.join();
}
