// A pool of snapshots for the tools: its memory comes from the heap and goes with it.
#pragma once

#include <memory>
#include <vector>

#include "knowledge/monitoring.h"

namespace sooth::knowledge {

class HeapSnapshots {
public:
  HeapSnapshots() = default;
  HeapSnapshots(const HeapSnapshots&) = delete; // the pool refers to it
  HeapSnapshots& operator=(const HeapSnapshots&) = delete;

  SnapshotPool pool;

  // Before Setup::begin.
  void begin(Setup& setup) {
    pool.begin(setup.layout, more, this);
    setup.snapshots = &pool;
  }

private:
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  static void* more(void* context, std::size_t bytes) {
    auto& rooms = static_cast<HeapSnapshots*>(context)->rooms_;
    rooms.push_back(std::make_unique<Line[]>((bytes + sizeof(Line) - 1) / sizeof(Line)));
    return rooms.back().get();
  }
  std::vector<std::unique_ptr<Line[]>> rooms_;
};

} // namespace sooth::knowledge
