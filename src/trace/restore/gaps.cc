#include "trace/restore/gaps.h"

#include <algorithm>
#include <map>
#include <set>

namespace sooth::trace {

std::uint64_t last_number_before_a_gap(std::vector<EventStream>& streams, const std::vector<Chunk>& chunks,
                                       bool incomplete, std::uint64_t threads) {
  std::set<std::uint32_t> there, live; // threads
  for (const Chunk& chunk : chunks)
    if (chunk.header.type == static_cast<std::uint32_t>(ChunkType::Live)) live.insert(chunk.header.thread);
  std::uint64_t end = kNoEnd;
  std::map<std::uint32_t, std::uint64_t> forks; // by child: the number of its creation
  for (EventStream& stream : streams) {
    there.insert(stream.thread());
    std::uint64_t last = 0;
    bool ended = false;
    for (const StampedEvent* next = stream.peek(); next != nullptr; next = stream.peek()) {
      const Event& e = next->event;
      last = next->counter;
      ended = e.kind == EventKind::ThreadEnd;
      if (e.kind == EventKind::Fork) forks.emplace(static_cast<std::uint32_t>(e.value), last);
      stream.pop();
    }
    const bool stops = stream.has_gap() || (incomplete && !ended && !live.contains(stream.thread()));
    if (stops) end = std::min(end, last);
  }
  if (!incomplete) return end;
  std::uint64_t known = streams.size();
  for (const auto& [child, number] : forks) {
    if (there.contains(child)) continue;
    ++known;
    end = std::min(end, number);
  }
  return known < threads ? 0 : end; // nobody knows when the others began
}

} // namespace sooth::trace
