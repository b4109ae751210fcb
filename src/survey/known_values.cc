#include "survey/known_values.h"

#include <algorithm>

namespace sooth::survey {

namespace {

constexpr unsigned kBytes = 8; // of a granule

std::uint64_t mask_of(std::uint8_t bytes) {
  std::uint64_t out = 0;
  for (unsigned i = 0; i < kBytes; ++i)
    if ((bytes >> i & 1) != 0) out |= std::uint64_t{0xff} << (8 * i);
  return out;
}

std::uint8_t bits(unsigned from, unsigned to) {
  return static_cast<std::uint8_t>((0xffu << from) & (0xffu >> (kBytes - to)));
}

} // namespace

void KnownValues::begin(const trace::Trace& trace) {
  trace_ = &trace;
  restart();
}

void KnownValues::restart() {
  pages_.clear();
  last_number_ = ~std::uint64_t{0};
  last_page_ = nullptr;
}

// A page of globals begins with their initial contents, if the file has them.
KnownValues::Page& KnownValues::page(std::uint64_t number) {
  if (number == last_number_) return *last_page_;
  auto& found = pages_[number];
  if (found == nullptr) {
    found = std::make_unique<Page>();
    if (trace_->initial_known) {
      const std::uint64_t begin = number * kGranules * kBytes, end = begin + kGranules * kBytes;
      const auto put = [&](std::uint64_t address, std::uint8_t byte) {
        if (address < begin || address >= end) return;
        const std::uint64_t granule = (address - begin) / kBytes, at = address % kBytes;
        found->values[granule] &= ~(std::uint64_t{0xff} << (8 * at));
        found->values[granule] |= std::uint64_t{byte} << (8 * at);
        found->known[granule] |= static_cast<std::uint8_t>(1u << at);
      };
      auto global = std::upper_bound(trace_->globals.begin(), trace_->globals.end(), begin,
                                     [](std::uint64_t a, const trace::Global& g) { return a < g.address; });
      if (global != trace_->globals.begin()) --global;
      for (; global != trace_->globals.end() && global->address < end; ++global)
        for (std::uint64_t i = 0; i < std::min(global->bytes, trace::kMaxInitial); ++i) put(global->address + i, 0);
      auto held = std::upper_bound(trace_->initial.begin(), trace_->initial.end(), begin,
                                   [](std::uint64_t a, const trace::InitialContents& h) { return a < h.address; });
      if (held != trace_->initial.begin()) --held;
      for (; held != trace_->initial.end() && held->address < end; ++held)
        for (std::uint64_t i = 0; i < held->bytes.size(); ++i) put(held->address + i, held->bytes[i]);
    }
  }
  last_number_ = number;
  last_page_ = found.get();
  return *last_page_;
}

bool KnownValues::read(std::uint64_t granule, unsigned from, unsigned to, const trace::Contents& seen,
                       std::uint64_t address) {
  if (seen.is_opaque()) return true;
  Page& page = this->page(granule / kGranules);
  std::uint64_t& value = page.values[granule % kGranules];
  std::uint8_t& known = page.known[granule % kGranules];
  const std::uint64_t offset = granule * kBytes + from - address;
  const std::uint64_t word = seen.word(offset, from, to - from);
  const std::uint8_t asked = bits(from, to);
  const std::uint64_t compared = mask_of(known & asked);
  const bool same = (value & compared) == (word & compared);
  const std::uint64_t read = mask_of(asked);
  value = (value & ~read) | (word & read);
  known |= asked;
  return same;
}

void KnownValues::write(std::uint64_t granule, unsigned from, unsigned to, const trace::Contents& written,
                        std::uint64_t address) {
  Page& page = this->page(granule / kGranules);
  std::uint64_t& value = page.values[granule % kGranules];
  std::uint8_t& known = page.known[granule % kGranules];
  const std::uint8_t changed = bits(from, to);
  const std::uint64_t mask = mask_of(changed);
  value = (value & ~mask) | (written.word(granule * kBytes + from - address, from, to - from) & mask);
  known |= changed;
}

void KnownValues::lose(std::uint64_t first, unsigned from, std::uint64_t last, unsigned to) {
  for (std::uint64_t granule = first; granule <= last;) {
    const std::uint64_t end = std::min(last, granule | (kGranules - 1));
    Page& page = this->page(granule / kGranules);
    for (; granule <= end; ++granule) {
      const std::uint8_t lost = bits(granule == first ? from : 0, granule == last ? to : kBytes);
      page.known[granule % kGranules] &= static_cast<std::uint8_t>(~lost);
    }
  }
}

void KnownValues::forget(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0 || bytes > ~address) return;
  const std::uint64_t first = address / kBytes, last = (address + bytes - 1) / kBytes;
  const auto clear = [&](std::uint64_t number, Page& page) {
    const std::uint64_t from = std::max(first, number * kGranules),
                        to = std::min(last, number * kGranules + kGranules - 1);
    for (std::uint64_t granule = from; granule <= to; ++granule) page.known[granule % kGranules] = 0;
  };
  const std::uint64_t first_page = first / kGranules, last_page = last / kGranules;
  if (last_page - first_page < pages_.size()) {
    for (std::uint64_t number = first_page; number <= last_page; ++number)
      if (const auto it = pages_.find(number); it != pages_.end()) clear(number, *it->second);
  } else {
    for (auto& [number, page] : pages_)
      if (first_page <= number && number <= last_page) clear(number, *page);
  }
}

} // namespace sooth::survey
