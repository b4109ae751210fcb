// The shelves of the depot: pieces come in, orders wait until there are enough of them.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>

namespace depot {

class Store {
public:
  void deliver(const std::string& item, long pieces);
  // Waits until that many are there, then takes them.
  void take(const std::string& item, long pieces);
  long pieces_of(const std::string& item) const;

private:
  mutable std::mutex lock_;
  std::condition_variable delivered_;
  std::map<std::string, long> shelves_; // guarded by lock_
};

} // namespace depot
