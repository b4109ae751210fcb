// Takes its locks in an order that depends on a file: with another file there is no deadlock.
#include <cstdio>
#include <mutex>
#include <thread>

#include "../pairs/pair.h"

std::mutex first, second;

void forwards() {
  const std::lock_guard<std::mutex> outer(first);
  const std::lock_guard<std::mutex> inner(second);
}

int main(int, char** arguments) {
  std::FILE* file = std::fopen(arguments[1], "r");
  const bool backwards = std::fgetc(file) == 'b';
  std::fclose(file);
  std::thread thread([] {
    at(0);
    forwards();
    at(1);
  });
  at(2);
  if (backwards) {
    const std::lock_guard<std::mutex> outer(second);
    const std::lock_guard<std::mutex> inner(first);
  } else {
    forwards();
  }
  thread.join();
}
