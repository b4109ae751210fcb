// std::endl looks into a table that libstdc++ fills when it is first needed, in code without hooks:
// no change from outside.
// EXPECT: external-write * x0
// EXPECT: fork * x2
#include <sstream>
#include <thread>

int main() {
  std::ostringstream texts[2];
  std::thread first([&] { texts[0] << std::endl; }), second([&] { texts[1] << std::endl; });
  first.join();
  second.join();
  return texts[0].str() != texts[1].str();
}
