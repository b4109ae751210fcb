#include "capture/runtime/recording/exact.h"

#include "capture/runtime/loaded.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/file.h"

namespace sooth::runtime {

ExactRange g_exact_reach;

namespace {

constexpr std::uint32_t kMostRanges = 1024; // beyond that, all memory
constexpr ExactRange kAllMemory = {0, ~std::uint64_t{0}};
ExactRange g_ranges[kMostRanges];
std::uint32_t g_range_count;
os::SpinLock g_ranges_lock;

bool is_digit(char c, std::uint64_t& value) {
  const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  if (digit >= 0) value = value << 4 | static_cast<std::uint64_t>(digit);
  return digit >= 0;
}

bool read_number(const char*& text, const char* end, std::uint64_t& value) {
  const char* const begin = text;
  while (text < end && is_digit(*text, value)) ++text;
  return text != begin;
}
bool read_letter(const char*& text, const char* end, char letter) {
  if (text == end || *text != letter) return false;
  ++text;
  return true;
}

// One variable of the list, with the comma behind it. `text` moves on.
bool order_variable(const char*& text, const char* end) {
  std::uint64_t address = 0, bytes = 0;
  char library[256] = {};
  if (!read_number(text, end, address) || !read_letter(text, end, '+') || !read_number(text, end, bytes)) return false;
  if (read_letter(text, end, '@'))
    for (std::size_t length = 0; text < end && *text != ','; ++text)
      if (length + 1 < sizeof library) library[length++] = *text;
  // A program that this one starts inherits the list, and may have nothing there.
  if (const Loaded loaded = find_loaded(library, address, bytes); loaded.holds)
    order_exactly(loaded.base + address, bytes);
  return read_letter(text, end, ',') || text == end;
}

} // namespace

bool order_exactly(const char* text, std::size_t length) {
  g_exact = true;
  set_file_flag(trace::kOneClock, true);
  const char* const end = text + length;
  if (length == 3 && text[0] == 'a' && text[1] == 'l' && text[2] == 'l') {
    order_exactly(kAllMemory.begin, kAllMemory.end);
    return true;
  }
  while (text < end)
    if (!order_variable(text, end)) return false;
  return true;
}

void order_exactly(std::uint64_t address, std::uint64_t bytes) {
  os::Guard guard(g_ranges_lock);
  ExactRange range = {address, address + bytes};
  for (std::uint32_t i = 0; i < g_range_count; ++i) // watched again
    if (g_ranges[i].begin <= range.begin && g_ranges[i].end >= range.end) return;
  if (g_range_count == kMostRanges) g_ranges[0] = range = kAllMemory;
  else g_ranges[g_range_count] = range;
  const bool first = g_range_count == 0;
  if (g_range_count < kMostRanges) __atomic_store_n(&g_range_count, g_range_count + 1, __ATOMIC_RELEASE);
  if (first || range.begin < g_exact_reach.begin) __atomic_store_n(&g_exact_reach.begin, range.begin, __ATOMIC_RELAXED);
  if (range.end > g_exact_reach.end) __atomic_store_n(&g_exact_reach.end, range.end, __ATOMIC_RELEASE);
}

void reset_exact_lock() { g_ranges_lock.reset(); }

bool meets_exact(std::uint64_t address, std::uint64_t bytes) {
  const std::uint32_t count = __atomic_load_n(&g_range_count, __ATOMIC_ACQUIRE);
  for (std::uint32_t i = 0; i < count; ++i)
    if (address < g_ranges[i].end && address + bytes > g_ranges[i].begin) return true;
  return false;
}

} // namespace sooth::runtime
