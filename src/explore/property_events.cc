#include "explore/property_events.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "logic/occurrences.h"
#include "trace/contents.h"

namespace sooth::explore {

namespace {

using logic::PropertyFile;
using logic::Variable;
using trace::Event;
using trace::EventKind;

std::uint64_t byte_mask(std::uint64_t first, std::uint64_t count) {
  const std::uint64_t ones = count >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * count)) - 1;
  return ones << (8 * first);
}

class Reader {
public:
  Reader(const PropertyFile& file, const trace::Trace& trace) : file_(file), trace_(trace), occurrences_(file, trace) {
    out_.initial.assign(file.variables.size(), 0);
    places_.resize(file.variables.size());
    for (std::uint32_t v = 0; v < file.variables.size(); ++v) {
      if (!file.variables[v].watched) {
        add_place(v, file.variables[v].address, kAnyBinding);
        load_initial(v);
      }
    }
    // Watched objects: what was written before they got their name counts as well.
    for (const Event& e : trace.events)
      if (e.kind == EventKind::Watch) watch(e, nullptr);
  }

  PropertyEvents run() {
    for (std::size_t i = 0; i < trace_.events.size() && !out_.cut_short; ++i) {
      const Event& e = trace_.events[i];
      const std::uint64_t happened = occurrences_.of(i);
      RelevantEvent relevant{i, happened, static_cast<std::uint32_t>(out_.effects.size()), 0};
      if (e.kind == EventKind::Watch) watch(e, &relevant);
      else if (near(e)) touch(e);
      if (out_.cut_short) break;
      relevant.effects = static_cast<std::uint32_t>(out_.effects.size()) - relevant.first_effect;
      if (happened == 0 && relevant.effects == 0) continue;
      out_.events.push_back(relevant);
      if (e.kind == EventKind::ExternalWrite) ++out_.external_writes;
    }
    finish_initial();
    return std::move(out_);
  }

private:
  struct Place {
    std::uint64_t address = 0;
    std::uint32_t binding = 0;
    std::uint64_t known = 0; // mask of bytes whose value is known
    std::uint64_t value = 0; // as the observed run has it now
  };

  void add_place(std::uint32_t variable, std::uint64_t address, std::uint32_t binding) {
    places_[variable].push_back({address, binding});
    low_ = std::min(low_, address);
    high_ = std::max(high_, address + file_.variables[variable].size);
  }
  bool near(const Event& e) const {
    return e.size != 0 && e.address < high_ && e.address + e.size > low_ &&
           (trace::reads_memory(e.kind) || trace::writes_memory(e.kind));
  }

  // First (relevant == nullptr) the places are collected, then the event takes effect.
  void watch(const Event& e, RelevantEvent* relevant) {
    const std::uint64_t name = e.value >> 32;
    if (name >= trace_.strings.size()) return;
    for (std::uint32_t v = 0; v < file_.variables.size(); ++v) {
      const Variable& variable = file_.variables[v];
      if (!variable.watched || variable.watch_name != trace_.strings[name]) continue;
      // Members and elements of a watched object have their offset in `address`.
      const std::uint64_t address = e.address + variable.address;
      auto place = std::ranges::find(places_[v], address, &Place::address);
      if (relevant == nullptr) {
        if (place == places_[v].end()) add_place(v, address, static_cast<std::uint32_t>(places_[v].size()) + 1);
        continue;
      }
      bound_[v] = place->binding;
      out_.effects.push_back({v, kAnyBinding, place->binding, byte_mask(0, 8), place->value});
    }
  }

  void touch(const Event& e) {
    for (std::uint32_t v = 0; v < file_.variables.size(); ++v) {
      const std::uint64_t size = file_.variables[v].size;
      for (Place& place : places_[v]) {
        if (e.address >= place.address + size || place.address >= e.address + e.size) continue;
        const std::uint64_t from = std::max(e.address, place.address);
        const std::uint64_t bytes = std::min(e.address + e.size, place.address + size) - from;
        if (trace::reads_memory(e.kind)) {
          const auto seen = trace::seen_by(trace_.bytes, e);
          if (!seen.is_opaque())
            learn(v, place, from, bytes, seen.word(from - e.address, 0, static_cast<unsigned>(bytes)));
        }
        if (!trace::writes_memory(e.kind)) continue;
        const auto written = trace::written_by(trace_.bytes, e);
        if (written.is_opaque()) {
          out_.cut_short = true;
          return;
        }
        const auto shift = static_cast<unsigned>(from - place.address);
        const std::uint64_t mask = byte_mask(shift, bytes);
        const std::uint64_t bits = written.word(from - e.address, 0, static_cast<unsigned>(bytes)) << (8 * shift);
        place.known |= mask;
        place.value = (place.value & ~mask) | bits;
        // Before an object gets its name, what is written to it is only remembered.
        if (place.binding == bound_[v]) out_.effects.push_back({v, place.binding, 0, mask, bits});
      }
    }
  }

  // The first read of unwritten bytes gives their value from the start.
  void learn(std::uint32_t variable, Place& place, std::uint64_t from, std::uint64_t bytes, std::uint64_t word) {
    const auto shift = static_cast<unsigned>(from - place.address);
    const std::uint64_t fresh = byte_mask(shift, bytes) & ~place.known;
    if (fresh == 0) return;
    place.known |= fresh;
    place.value = (place.value & ~fresh) | ((word << (8 * shift)) & fresh);
    if (place.binding == kAnyBinding) {
      out_.initial[variable] = (out_.initial[variable] & ~fresh) | ((word << (8 * shift)) & fresh);
      seen_[variable] |= fresh;
    }
  }

  // The global's value when its module was loaded, as far as it was kept.
  void load_initial(std::uint32_t variable) {
    const std::uint64_t address = file_.variables[variable].address, size = file_.variables[variable].size;
    const auto global = std::ranges::upper_bound(trace_.globals, address, {}, &trace::Global::address);
    if (!trace_.initial_known || global == trace_.globals.begin()) return;
    const trace::Global& owner = *std::prev(global);
    if (address - owner.address + size > std::min(owner.bytes, trace::kMaxInitial)) return;
    seen_[variable] = byte_mask(0, size);
    for (const trace::InitialContents& contents : trace_.initial) {
      for (std::uint64_t k = 0; k < size; ++k) {
        const std::uint64_t offset = address + k - contents.address;
        if (offset < contents.bytes.size()) out_.initial[variable] |= std::uint64_t{contents.bytes[offset]} << (8 * k);
      }
    }
    Place& place = places_[variable].front();
    place.value = out_.initial[variable];
    // Constructors may change it before the first event; what is read first is better knowledge.
  }

  void finish_initial() {
    for (std::uint32_t v = 0; v < file_.variables.size(); ++v) {
      const Variable& variable = file_.variables[v];
      if (variable.watched) continue;
      const std::uint64_t all = byte_mask(0, variable.size);
      if ((seen_[v] & all) != all) out_.assumed.push_back(variable.name);
    }
  }

  const PropertyFile& file_;
  const trace::Trace& trace_;
  logic::Occurrences occurrences_;
  std::vector<std::vector<Place>> places_;                                                             // by variable
  std::vector<std::uint32_t> bound_ = std::vector<std::uint32_t>(file_.variables.size(), kAnyBinding); // now
  std::vector<std::uint64_t> seen_ = std::vector<std::uint64_t>(file_.variables.size(), 0);
  std::uint64_t low_ = std::numeric_limits<std::uint64_t>::max(), high_ = 0;
  PropertyEvents out_;
};

} // namespace

causality::Relevance PropertyEvents::relevance() const {
  causality::Relevance out;
  out.events.reserve(events.size());
  for (const RelevantEvent& event : events) out.events.push_back(event.event);
  return out;
}

PropertyEvents property_events(const PropertyFile& file, const trace::Trace& trace) {
  return Reader(file, trace).run();
}

} // namespace sooth::explore
