#include "trace/objects.h"

#include <absl/container/btree_map.h>

#include <algorithm>

#include "trace/effects.h"
#include "trace/format.h"
#include "trace/kind_groups.h"

namespace sooth::trace {
namespace {

constexpr std::uint64_t kFirstMoved = std::uint64_t{1} << 48; // above every address of a program
constexpr std::uint32_t kNoObject = 0xffffffff;

std::uint64_t bytes_of(const Event& e) {
  if (begins_or_ends_object(e.kind)) return std::max<std::uint64_t>(e.value, 1);
  return std::max<std::uint64_t>(e.size, 1);
}

// Disjoint ranges, each with the object that last began there. An ended object stays until another
// one begins: a late access belongs to the object that is gone.
class Ground {
public:
  // `overlapped(object)` is called for each object that loses (part of) its place.
  template <typename F>
  void put(std::uint64_t address, std::uint64_t bytes, std::uint32_t object, F&& overlapped) {
    const std::uint64_t end = bytes > ~address ? ~std::uint64_t{0} : address + bytes;
    auto it = ranges_.upper_bound(address);
    if (it != ranges_.begin()) --it;
    while (it != ranges_.end() && it->first < end) {
      const auto [from, range] = *it;
      if (range.end <= address) {
        ++it;
        continue;
      }
      overlapped(range.object);
      it = ranges_.erase(it);
      if (from < address) it = std::next(ranges_.insert({from, {address, range.object}}).first);
      if (range.end > end) it = ranges_.insert({end, range}).first;
    }
    ranges_[address] = {end, object};
    cached_ = {};
  }

  struct Place {
    std::uint64_t from = 1;
    std::uint64_t end = 0; // of the range; exclusive
    std::uint32_t object = kNoObject;
  };
  // The range around the address; without an object, between its neighbours.
  const Place& at(std::uint64_t address) {
    Place& cached = cached_;
    if (address >= cached.from && address < cached.end) return cached;
    const auto above = ranges_.upper_bound(address);
    cached.from = 0;
    cached.end = above == ranges_.end() ? ~std::uint64_t{0} : above->first;
    cached.object = kNoObject;
    if (above == ranges_.begin()) return cached;
    const auto& [from, range] = *std::prev(above);
    if (address < range.end) cached = {from, range.end, range.object};
    else cached.from = range.end;
    return cached;
  }

private:
  struct Range {
    std::uint64_t end;
    std::uint32_t object;
  };
  absl::btree_map<std::uint64_t, Range> ranges_;
  Place cached_;
};

struct Object {
  std::uint64_t address;
  std::uint64_t bytes;
  bool reuses = false; // begins where another object was
  bool fixed = false;  // must stay
  std::uint64_t moved_to = 0;
};

class Separation {
public:
  explicit Separation(Trace& trace) : trace_(trace) {}

  ObjectTable run() {
    if (!find_reuse()) return {};
    find_fixed();
    choose_addresses();
    rename();
    return std::move(table_);
  }

private:
  bool find_reuse() {
    Ground ground;
    bool any = false;
    for (const Event& e : trace_.events) {
      if (!begins_object(e.kind)) continue;
      objects_.push_back({e.address, bytes_of(e)});
      ground.put(e.address, bytes_of(e), static_cast<std::uint32_t>(objects_.size() - 1), [&](std::uint32_t) {
        objects_.back().reuses = true;
        any = true;
      });
    }
    return any;
  }

  // Calls f(event, address, bytes) for each range of addresses in the trace, with `ground` as it is
  // at that event.
  template <typename F>
  void each_address(Ground& ground, F&& f) {
    std::uint32_t next = 0;
    for (Event& e : trace_.events) {
      if (!is_place(object_of(e.kind))) continue;
      if (begins_object(e.kind)) ground.put(e.address, bytes_of(e), next++, [](std::uint32_t) {});
      // free() may release more than was requested (malloc_usable_size): only the beginning counts.
      f(e, e.address, e.kind == EventKind::Free ? 1 : bytes_of(e), false);
      if (moves_mutex(e.kind) && e.value != 0) f(e, e.value, 1, true);
    }
  }

  void find_fixed() {
    Ground ground;
    each_address(ground, [&](const Event&, std::uint64_t address, std::uint64_t bytes, bool) {
      const Ground::Place first = ground.at(address);
      if (bytes <= first.end - address) return;
      for (std::uint64_t at = address; at - address < bytes;) {
        const Ground::Place place = ground.at(at);
        if (place.object != kNoObject) objects_[place.object].fixed = true;
        if (place.end == ~std::uint64_t{0}) break;
        at = place.end;
      }
    });
  }

  void choose_addresses() {
    std::uint64_t next = kFirstMoved;
    for (Object& object : objects_) {
      if (!object.reuses) continue;
      if (object.fixed || object.bytes > kFirstMoved) {
        ++table_.kept_together;
        continue;
      }
      // The same place within 64 bytes, so that alignment is as it was; and never two objects side
      // by side.
      object.moved_to = round_up(next, 64) + 64 + object.address % 64;
      next = object.moved_to + object.bytes;
      table_.moved.push_back({object.moved_to, object.address, object.bytes});
    }
  }

  void rename() {
    Ground ground;
    each_address(ground, [&](Event& e, std::uint64_t address, std::uint64_t, bool second) {
      const std::uint32_t number = ground.at(address).object;
      if (number == kNoObject || objects_[number].moved_to == 0) return;
      const Object& object = objects_[number];
      (second ? e.value : e.address) = object.moved_to + (address - object.address);
    });
  }

  Trace& trace_;
  std::vector<Object> objects_; // in the order in which they begin
  ObjectTable table_;
};

} // namespace

std::uint64_t ObjectTable::original(std::uint64_t address) const {
  auto it = std::upper_bound(moved.begin(), moved.end(), address,
                             [](std::uint64_t a, const MovedObject& object) { return a < object.address; });
  if (it == moved.begin()) return address;
  --it;
  // One byte behind the end still belongs to the object: an end pointer points there.
  return address - it->address <= it->bytes ? it->original + (address - it->address) : address;
}

ObjectTable separate_objects(Trace& trace) { return Separation(trace).run(); }

} // namespace sooth::trace
