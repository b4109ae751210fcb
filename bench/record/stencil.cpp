// Heat in a square plate: every step, each thread computes its rows from the last step's grid, then both meet at a
// barrier. Regular accesses of doubles; the rows at the seam are read by both.
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kSide = 1024;

std::vector<double> grids[2];
pthread_barrier_t step_done;

void simulate(std::size_t first_row, std::size_t end_row, std::size_t steps) {
  for (std::size_t step = 0; step < steps; ++step) {
    const double* from = grids[step % 2].data();
    double* to = grids[(step + 1) % 2].data();
    for (std::size_t y = first_row; y < end_row; ++y)
      for (std::size_t x = 1; x + 1 < kSide; ++x) {
        const std::size_t at = y * kSide + x;
        to[at] = 0.2 * (from[at] + from[at - 1] + from[at + 1] + from[at - kSide] + from[at + kSide]);
      }
    pthread_barrier_wait(&step_done);
  }
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  for (auto& grid : grids) {
    grid.assign(kSide * kSide, 0.0);
    for (std::size_t x = 0; x < kSide; ++x) grid[x] = 1.0; // the upper edge is hot
  }
  pthread_barrier_init(&step_done, nullptr, 2);
  std::thread upper(simulate, 1, kSide / 2, steps), lower(simulate, kSide / 2, kSide - 1, steps);
  upper.join();
  lower.join();
  pthread_barrier_destroy(&step_done);
  double sum = 0;
  for (const double heat : grids[steps % 2]) sum += heat;
  std::printf("%.12g\n", sum);
}
