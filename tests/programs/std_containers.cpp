// Strings, trees and lists: the code that libstdc++ keeps in its library is recorded, too.
// EXPECT: external-write * x0
// EXPECT-OUTPUT: ab*12 0 1 2 3 5 8 | 9 7 4
#include <cstdio>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::map<int, std::string> tree;
static std::list<int> line;
static std::string text;

static void add(int from) {
  const std::lock_guard<std::mutex> guard(lock);
  for (int i = from; i < 10; i += 2) tree[i] = std::to_string(i);
  line.push_front(from);
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
  std::printf("\n");
  return 0;
}
