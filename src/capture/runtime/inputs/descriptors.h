// Sets of descriptors. A number beyond kMost is in none.
#pragma once

#include <cstdint>

namespace sooth::runtime {

class Descriptors {
public:
  bool has(int file) const {
    return is_known(file) && (__atomic_load_n(&words_[file / 64], __ATOMIC_RELAXED) & bit(file)) != 0;
  }
  // Relaxed: who uses a descriptor has got it from the thread that opened it.
  void set(int file, bool on) {
    if (!is_known(file)) return;
    if (on) __atomic_fetch_or(&words_[file / 64], bit(file), __ATOMIC_RELAXED);
    else __atomic_fetch_and(&words_[file / 64], ~bit(file), __ATOMIC_RELAXED);
  }

private:
  static constexpr int kMost = 1 << 16;
  static bool is_known(int file) { return file >= 0 && file < kMost; }
  static std::uint64_t bit(int file) { return std::uint64_t{1} << (file % 64); }
  std::uint64_t words_[kMost / 64] = {};
};

extern Descriptors g_stand_ins; // sockets and pipes whose other end is not there
extern Descriptors g_replaced;  // files beneath streams whose bytes come from the recorded run

} // namespace sooth::runtime
