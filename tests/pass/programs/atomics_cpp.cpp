// FLAGS: -std=c++20
// C++20: atomic_ref, arithmetic on floating-point atomics, wrapping of members.
// LOG: atomic-rmw4 0x1 to 0x4 operation 1 order 1 '@@
// LOG: global C::instances : std::atomic<int> size 4
// LOG: atomic-cas8 0x3ff8000000000000 to 0x400c000000000000 done order 6 failure 6
// LOG: atomic-cas4 0x3f800000 to 0xbf800000 done order 5 failure 3
// LOG: atomic-load8 0x400c000000000000 order 3
// LOG: atomic-rmw4 0x0 to 0x1 operation 1 order 6 '@@
#include <atomic>
#include <cstdio>

int plain = 1;
std::atomic<double> real{1.5};
std::atomic<float> small{1.0f};
struct C {
  static std::atomic<int> instances;
  C() { ++instances; }
};
std::atomic<int> C::instances;

int main() {
  std::atomic_ref<int> reference(plain);
  int sum = reference.fetch_add(3, std::memory_order_relaxed);
  double before = real.load();
  while (!real.compare_exchange_strong(before, before + 2)) {
  }
  float old = small.load();
  while (!small.compare_exchange_strong(old, old - 2, std::memory_order_acq_rel, std::memory_order_acquire)) {
  }
  C one;
  std::printf("%d %d %g %g %d\n", sum, plain, real.load(std::memory_order_acquire), (double)small.load(),
              C::instances.load());
}
