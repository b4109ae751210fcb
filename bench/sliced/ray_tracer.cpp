// The ray tracer of jPredictor, Table 1 (there from the Java Grande suite), with its known error: each thread has a scene of its own and adds to
// the common checksum under the lock of the scene, which is therefore not the same lock for any two of them.
//
//   ray_tracer [WIDTH]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "../../tests/pairs/pair.h"

constexpr int kThreads = 3, kSpheres = 64;

struct Vector {
  double x, y, z;
  friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector operator*(Vector a, double k) { return {a.x * k, a.y * k, a.z * k}; }
  friend double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Vector unit(Vector a) { return a * (1 / std::sqrt(dot(a, a))); }
};

struct Sphere {
  Vector centre;
  double radius, brightness;
};

struct Scene {
  std::mutex lock;
  Sphere spheres[kSpheres];
};

std::mutex rows_lock;
int next_row;
long checksum;

// The geometry only computes on the thread's own scene; it is left out when the program is recorded.
struct Tracer {
  const Scene& scene;

  // The nearest sphere on the ray, or null; `distance` along the ray.
  const Sphere* hit(Vector from, Vector to, double& distance) const {
    const Sphere* nearest = nullptr;
    for (const Sphere& sphere : scene.spheres) {
      const Vector between = sphere.centre - from;
      const double along = dot(between, to);
      const double root = along * along - dot(between, between) + sphere.radius * sphere.radius;
      if (root < 0) continue;
      const double here = along - std::sqrt(root);
      if (here > 1e-6 && (nearest == nullptr || here < distance)) {
        nearest = &sphere;
        distance = here;
      }
    }
    return nearest;
  }

  double brightness(Vector from, Vector to, int depth) const {
    double distance = 0;
    const Sphere* sphere = hit(from, to, distance);
    if (sphere == nullptr) return 0.1;
    const Vector place = from + to * distance, normal = unit(place - sphere->centre);
    const Vector light = unit(Vector{5, 10, -10} - place);
    double shade = 0;
    const bool lit = hit(place, light, shade) == nullptr;
    double result = sphere->brightness * (lit && dot(normal, light) > 0 ? dot(normal, light) : 0);
    if (depth < 3) result += 0.3 * brightness(place, to - normal * (2 * dot(normal, to)), depth + 1);
    return result;
  }

  __attribute__((noinline)) long row(int y, int width) const {
    long sum = 0;
    for (int x = 0; x < width; ++x) {
      const Vector ray = unit(Vector{(x - width / 2.0) / width, (y - width / 2.0) / width, 1});
      sum += static_cast<long>(255 * brightness({0, 0, -20}, ray, 0));
    }
    return sum;
  }
};

int take_row() {
  const std::lock_guard hold(rows_lock);
  return next_row++;
}

void set_up(Scene& scene) {
  for (int i = 0; i < kSpheres; ++i)
    scene.spheres[i] = {{i % 4 * 2.0 - 3, i / 4 % 4 * 2.0 - 3, i / 16 * 2.0}, 0.8, 0.5 + 0.05 * (i % 10)};
}

void render(int number, int width) {
  Scene scene;
  set_up(scene);
  const Tracer tracer{scene};
  long sum = 0;
  for (int y = take_row(); y < width; y = take_row()) sum += tracer.row(y, width);
  at(2 * number); // in the recorded run they add one after the other
  {
    const std::lock_guard hold(scene.lock); // the wrong one
    checksum += sum;
  }
  at(2 * number + 1);
}

int main(int argc, char** argv) {
  const int width = argc > 1 ? std::atoi(argv[1]) : 300;
  std::thread threads[kThreads];
  for (int i = 0; i < kThreads; ++i) threads[i] = std::thread(render, i, width);
  for (std::thread& thread : threads) thread.join();
  std::printf("checksum %ld\n", checksum);
}
