#include "store.h"

namespace depot {

void Store::deliver(const std::string& item, long pieces) {
  {
    const std::lock_guard<std::mutex> hold(lock_);
    shelves_[item] += pieces;
  }
  delivered_.notify_all();
}

void Store::take(const std::string& item, long pieces) {
  std::unique_lock<std::mutex> hold(lock_);
  delivered_.wait(hold, [&] { return shelves_[item] >= pieces; });
  shelves_[item] -= pieces;
}

long Store::pieces_of(const std::string& item) const {
  const std::lock_guard<std::mutex> hold(lock_);
  const auto found = shelves_.find(item);
  return found == shelves_.end() ? 0 : found->second;
}

} // namespace depot
