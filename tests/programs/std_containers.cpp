// Strings, trees, lists and hash tables: the code that libstdc++ keeps in its library is recorded, too.
// EXPECT: external-write * x0
// EXPECT-OUTPUT: ab*12 0 1 2 3 5 8 | 9 7 4 | 100
#include <cstdio>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

static std::mutex lock;
static std::map<int, std::string> tree;
static std::list<int> line;
static std::string text;
static std::unordered_map<int, int> table;

static void add(int from) {
  const std::lock_guard<std::mutex> guard(lock);
  for (int i = from; i < 10; i += 2) tree[i] = std::to_string(i);
  line.push_front(from);
  for (int i = from; i < 100; i += 2) ++table[i]; // it grows a few times
  text += "a string that does not fit into the object";
  text.replace(text.find("string"), std::string::npos, "*12");
}

int main() {
  std::thread one(add, 0);
  one.join();
  std::thread two(add, 1);
  two.join();
  for (int key : {9, 7, 4, 6}) tree.erase(key);
  line.sort();
  text = "ab" + text.substr(text.rfind('*'));
  std::printf("%s", text.c_str());
  for (const auto& [key, value] : tree)
    if (std::to_string(key) == value) std::printf(" %d", key);
  line.assign({4, 7, 9});
  line.reverse();
  std::printf(" |");
  for (int value : line) std::printf(" %d", value);
  table.rehash(1000);
  std::printf(" | %zu\n", table.size());
  return 0;
}
