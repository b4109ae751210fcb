// Counts the words of a text: each thread fills a map of its own from its half, and adds it to the common one under a
// lock. Strings, allocations, and library code (the maps) that is compiled into the program.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

namespace {

std::map<std::string, std::uint64_t> total;
std::mutex total_lock;

std::string make_text(std::size_t words) {
  static const char* const syllables[] = {"so", "oth", "tra", "ce", "lo", "ck", "ra", "ve", "mi", "on", "ter", "al"};
  std::string text;
  std::uint64_t state = 7;
  for (std::size_t i = 0; i < words; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const unsigned length = 1 + (state >> 60) % 4; // short words are common, long ones rare
    for (unsigned k = 0; k < length; ++k) text += syllables[(state >> (20 + 8 * k)) % 12];
    text += i % 12 == 11 ? '\n' : ' ';
  }
  return text;
}

void count(std::string_view text) {
  std::unordered_map<std::string, std::uint64_t> own;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      ++own[word];
      word.clear();
    }
  }
  if (!word.empty()) ++own[word];
  const std::scoped_lock hold(total_lock);
  for (const auto& [key, times] : own) total[key] += times;
}

} // namespace

int main(int argc, char** argv) {
  const std::size_t words = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
  const std::string text = make_text(words);
  std::size_t middle = text.size() / 2;
  while (middle < text.size() && text[middle] != ' ') ++middle;
  const std::string_view all = text;
  std::thread first(count, all.substr(0, middle)), second(count, all.substr(middle));
  first.join();
  second.join();
  std::uint64_t checksum = 0;
  for (const auto& [key, times] : total)
    for (const char c : key) checksum = checksum * 31 + static_cast<unsigned char>(c) * times;
  std::printf("%zu words, %llu\n", total.size(), static_cast<unsigned long long>(checksum));
}
