#include "trace/address_names.h"

#include <algorithm>

#include "base/address_ranges.h"

namespace sooth::trace {

namespace {

std::string with_offset(const std::string& name, std::uint64_t offset) {
  return offset == 0 ? name : name + "+" + std::to_string(offset);
}

constexpr int kDeepest = 16;

struct Part {
  std::string name;
  std::uint32_t type;
  std::uint64_t offset; // what the type does not name
};

// A class of which the program only has a declaration (std::condition_variable) has no size: it
// reaches up to the next member.
auto member_at(const std::vector<Type>& types, const Type& whole, std::uint64_t offset) {
  const auto bytes = [&](const TypeMember& m) { return m.type < types.size() ? types[m.type].bytes : 0; };
  const auto known = std::ranges::find_if(whole.members, [&](const TypeMember& m) {
    return m.bit_offset / 8 <= offset && offset - m.bit_offset / 8 < bytes(m);
  });
  if (known != whole.members.end()) return known;
  auto last = whole.members.end();
  for (auto m = whole.members.begin(); m != whole.members.end(); ++m)
    if (m->bit_offset / 8 <= offset && (last == whole.members.end() || m->bit_offset >= last->bit_offset)) last = m;
  return last != whole.members.end() && bytes(*last) == 0 ? last : whole.members.end();
}

// The part of a variable that lies `offset` bytes behind its beginning: `[3].lock`. Without a type
// it stays a number.
Part part_at(const std::vector<Type>& types, std::uint32_t type, std::uint64_t offset) {
  std::string out;
  for (int depth = 0; depth < kDeepest && type < types.size(); ++depth) {
    const Type& whole = types[type];
    if (whole.kind == TypeKind::Array && whole.element < types.size()) {
      const std::uint64_t bytes = types[whole.element].bytes;
      if (bytes == 0 || offset / bytes >= whole.count) break;
      out += "[" + std::to_string(offset / bytes) + "]";
      offset %= bytes;
      type = whole.element;
    } else if (whole.kind == TypeKind::Struct && offset != 0) {
      const auto member = member_at(types, whole, offset);
      if (member == whole.members.end()) break;
      if (!member->name.empty()) out += "." + member->name;
      offset -= member->bit_offset / 8;
      type = member->type;
    } else {
      break;
    }
  }
  return {std::move(out), type, offset};
}

} // namespace

void AddressNames::begin(const Event& e, std::string name) {
  auto& regions = e.kind == EventKind::Alloc ? blocks_ : areas_;
  const std::uint64_t end = e.address + std::min(e.value, ~e.address);
  erase_overlapping(blocks_, e.address, end);
  erase_overlapping(watched_, e.address, end);
  if (&regions == &areas_) erase_overlapping(areas_, e.address, end);
  if (e.value != 0) regions[e.address] = {end, std::move(name), followed_ - 1};
}

// A block keeps its name after it was freed, for accesses that come too late; areas are gone.
void AddressNames::end(const Event& e) {
  if (e.kind != EventKind::Free) erase_overlapping(areas_, e.address, e.address + std::min(e.value, ~e.address));
}

void AddressNames::follow(const Event& e) {
  ++followed_;
  switch (e.kind) {
  case EventKind::Alloc: return begin(e, "heap#" + std::to_string(++blocks_seen_));
  case EventKind::Map: return begin(e, "map#" + std::to_string(++areas_seen_));
  case EventKind::StackBegin: return begin(e, "stack#" + std::to_string(++areas_seen_));
  case EventKind::Free:
  case EventKind::Unmap:
  case EventKind::StackEnd: return end(e);
  case EventKind::Watch: {
    if (e.has(kFill)) return; // an annotation about races on these bytes, not a name
    const std::uint64_t bytes = e.value & 0xffffffff;
    const std::uint64_t string = e.value >> 32;
    if (bytes == 0 || string >= trace_.strings.size() || bytes > ~e.address) return;
    erase_overlapping(watched_, e.address, e.address + bytes);
    watched_[e.address] = {e.address + bytes, trace_.strings[string], followed_ - 1};
    return;
  }
  default: return;
  }
}

const AddressNames::Region* AddressNames::find(const std::map<std::uint64_t, Region>& regions, std::uint64_t address,
                                               std::uint64_t& offset) {
  const auto after = regions.upper_bound(address);
  if (after == regions.begin()) return nullptr;
  const auto it = std::prev(after);
  offset = address - it->first;
  return address < it->second.end ? &it->second : nullptr;
}

std::optional<AddressNames::Object> AddressNames::object(std::uint64_t address) const {
  std::uint64_t offset = 0;
  const Region* region = find(blocks_, address, offset);
  if (region == nullptr) region = find(areas_, address, offset);
  if (region == nullptr) return std::nullopt;
  return Object{address - offset, region->end, region->name, region->event};
}

const Global* AddressNames::global_at(std::uint64_t address) const {
  const auto after = std::upper_bound(trace_.globals.begin(), trace_.globals.end(), address,
                                      [](std::uint64_t a, const Global& g) { return a < g.address; });
  if (after == trace_.globals.begin()) return nullptr;
  const Global& global = *(after - 1);
  return address - global.address < std::max<std::uint64_t>(1, global.bytes) ? &global : nullptr;
}

bool AddressNames::has_own_name(std::uint64_t address) const {
  std::uint64_t offset = 0;
  return find(watched_, address, offset) != nullptr || global_at(address) != nullptr;
}

std::string AddressNames::name(std::uint64_t address) const {
  std::uint64_t offset = 0;
  if (const Region* region = find(watched_, address, offset)) return with_offset(region->name, offset);
  if (const Global* global = global_at(address)) {
    const Part part = part_at(trace_.types, global->type_id, address - global->address);
    return global->name + with_offset(part.name, part.offset);
  }
  if (const Region* region = find(blocks_, address, offset)) return with_offset(region->name, offset);
  if (const Region* region = find(areas_, address, offset)) return with_offset(region->name, offset);
  return {};
}

std::string AddressNames::first_member(std::uint64_t address, std::string_view member) const {
  std::uint64_t ignored = 0;
  const Global* global = global_at(address);
  if (global == nullptr || member.empty() || find(watched_, address, ignored) != nullptr) return {};
  Part part = part_at(trace_.types, global->type_id, address - global->address);
  std::string out = global->name + part.name;
  for (int depth = 0; depth < kDeepest && part.offset == 0 && part.type < trace_.types.size(); ++depth) {
    const Type& whole = trace_.types[part.type];
    if (whole.kind != TypeKind::Struct || whole.members.empty() || whole.members.front().bit_offset != 0) break;
    const TypeMember& first = whole.members.front();
    if (!first.name.empty()) out += "." + first.name;
    if (first.name == member) return out;
    part.type = first.type;
  }
  return {};
}

} // namespace sooth::trace
