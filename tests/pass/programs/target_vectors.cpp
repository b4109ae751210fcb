// The processor's own vector instructions: the lanes that they take are told, the others are not. Untaken ones hold 0x5ec7e7.
// LEVELS: -O0 -O2 -fPIC -fvisibility=hidden
// LOG: read4 0x7a6e01
// LOG: read4 0x7a6e02
// LOG: read4 0x7a6e03
// LOG: write4 0x7a6e04
// LOG: write4 0x7a6e05
// LOG: write4 0x7a6e06
// LOG-NOT: 0x5ec7e7
// LOG-NOT: e7c75e
#include <immintrin.h>

#include <cstdio>

#define AVX2 __attribute__((noinline, target("avx2")))
#define AVX512 __attribute__((noinline, target("avx512f,avx512vl")))
#define HIDDEN 0x5ec7e7

int loaded[8] = {HIDDEN, 0x7a6e01, HIDDEN, HIDDEN, 0x7a6e01, HIDDEN, HIDDEN, HIDDEN};
int gathered[8] = {HIDDEN, HIDDEN, HIDDEN, 0x7a6e02, HIDDEN, HIDDEN, HIDDEN, HIDDEN};
int expanded[8] = {0x7a6e03, 0x7a6e03, HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN};
int stored[8], compressed[8], scattered[8];
double doubles[8] = {1, 2, 3, 4, 5, 6, 7, 8};
volatile int all = -1;

AVX2 void print(const char* what, __m256i vector) {
  int lanes[8];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), vector);
  std::printf("%s", what);
  for (int lane : lanes) std::printf(" %x", static_cast<unsigned>(lane));
  std::printf("\n");
}
AVX2 void with_masks() {
  const __m256i mask = _mm256_setr_epi32(0, all, 0x7fffffff, 0, all, 0, 1, 0);
  print("load", _mm256_maskload_epi32(loaded, mask));
  _mm256_maskstore_epi32(stored, mask, _mm256_set1_epi32(0x7a6e04));
  const __m256i indices = _mm256_setr_epi32(0, 3, 0, 0, 3, 0, 0, 0);
  print("gather", _mm256_mask_i32gather_epi32(_mm256_set1_epi32(9), gathered, indices, mask, 4));
  const __m128i longs = _mm_set_epi64x(all + 3, all + 1);
  const __m128d two = _mm_i64gather_pd(doubles, longs, 8);
  const __m128d first = _mm_i32gather_pd(doubles, _mm_setr_epi32(all + 6, all + 5, all, all), 8);
  std::printf("first %g %g\n", first[0], first[1]);
  const __m256d four = _mm256_maskload_pd(doubles + 1, _mm256_set_epi64x(all, 0, all, 0));
  std::printf("doubles %g %g %g %g\n", two[0], two[1], four[1], four[2]);
  print("unaligned", _mm256_lddqu_si256(reinterpret_cast<const __m256i*>(stored)));
}
AVX512 void packed() {
  const auto mask = static_cast<__mmask8>(all & 0x22);
  print("expand", _mm256_mask_expandloadu_epi32(_mm256_set1_epi32(8), mask, expanded));
  _mm256_mask_compressstoreu_epi32(compressed, mask, _mm256_set1_epi32(0x7a6e05));
  const __m256i indices = _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 0);
  _mm256_mask_i32scatter_epi32(scattered, mask, indices, _mm256_set1_epi32(0x7a6e06), 4);
}
// For machines that do not have them.
__attribute__((noinline)) void one_by_one(volatile int* from, volatile int* to, int value) {
  (void)*from;
  *to = value;
}

int main() {
  if (__builtin_cpu_supports("avx2")) with_masks();
  else one_by_one(&loaded[1], &stored[1], 0x7a6e04), one_by_one(&gathered[3], &stored[4], 0x7a6e04);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) packed();
  else one_by_one(expanded, compressed, 0x7a6e05), one_by_one(expanded, scattered, 0x7a6e06);
  for (int i = 0; i < 8; ++i) std::printf("%x %x %x\n", stored[i], compressed[i], scattered[i]);
}
