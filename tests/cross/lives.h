// Random lives of threads, and what is found in the traces that they leave behind: for tests that read one trace in two ways.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/find.h"
#include "analysis/prepare.h"
#include "report/names.h"
#include "trace/reader.h"
#include "trace/trace.h"
#include "unit/verify_builder.h"

namespace sooth::cross {

using trace::Event;
using trace::EventKind;
using trace::Trace;
using trace::testing::TraceBuilder;

// Threads that create and join each other; locks; variables of 4 bytes, each in a granule of its own, and ranges over two
// of them; two places on the heap that are allocated, used, freed and sometimes used once more; atomic blocks.
class Life {
public:
  explicit Life(std::uint64_t seed) : random_(seed), builder_(kThreads), heap_(seed % 3 != 0), blocks_(seed % 5 == 0) {
    threads_[0].alive = true;
  }

  // `alone`: so many times the first thread uses the heap before there is another one.
  Trace make(std::size_t events, std::uint64_t alone = 0) {
    for (std::uint64_t i = 0; i < alone; ++i) object(0);
    for (int tries = 0; tries < 600 && builder_.trace.events.size() < events; ++tries) step(pick(kThreads));
    Trace& trace = builder_.trace;
    for (std::uint32_t i = 0; i < trace.events.size(); ++i)
      trace.events[i].site = builder_.site("life.c", i + 1, "f", "v");
    return trace;
  }

private:
  static constexpr std::uint32_t kThreads = 4, kVariables = 4, kLocks = 2;
  static constexpr std::uint64_t kMemory = 0x10000, kHeap = 0x20000, kLock = 0x30000, kObject = 16;
  struct Thread {
    bool alive = false, created = false, ended = false, joined = false, block = false;
  };

  std::uint32_t pick(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  void step(std::uint32_t t) {
    Thread& own = threads_[t];
    if (!own.alive) return;
    switch (pick(12)) {
    case 0:
    case 1: return create(t);
    case 2: return join(t);
    case 3:
    case 4: return lock(t);
    case 5: return heap_ ? object(t) : variable(t);
    case 6: return heap_ ? object(t) : range(t);
    case 7: return range(t);
    case 8:
      if (!blocks_) return variable(t);
      builder_.add(t, own.block ? EventKind::AtomicEnd : EventKind::AtomicBegin, 0);
      own.block = !own.block;
      return;
    default: return variable(t);
    }
  }

  void create(std::uint32_t t) {
    for (std::uint32_t child = 1; child < kThreads; ++child) {
      if (threads_[child].created) continue;
      threads_[child].created = threads_[child].alive = true;
      builder_.add(t, EventKind::Fork, 0, child);
      builder_.add(child, EventKind::ThreadStart, 0, t);
      return;
    }
  }
  void join(std::uint32_t t) {
    const std::uint32_t child = 1 + pick(kThreads - 1);
    Thread& other = threads_[child];
    if (child == t || !other.alive || other.joined || other.block || holds(child)) return;
    if (!other.ended) builder_.add(child, EventKind::ThreadEnd);
    other.alive = false;
    other.ended = other.joined = true;
    builder_.add(t, EventKind::Join, 0, child);
  }
  bool holds(std::uint32_t t) const { return std::find(owner_.begin(), owner_.end(), t + 1) != owner_.end(); }
  void lock(std::uint32_t t) {
    const std::uint32_t l = pick(kLocks);
    if (owner_[l] == t + 1) {
      builder_.add(t, EventKind::Release, kLock + 64 * l);
      owner_[l] = 0;
    } else if (owner_[l] == 0) {
      builder_.add(t, EventKind::Acquire, kLock + 64 * l);
      owner_[l] = t + 1;
    }
  }

  std::uint8_t& at(std::uint64_t address) { return memory_[address]; }
  void access(std::uint32_t t, std::uint64_t address, std::uint64_t size, bool write, bool atomic) {
    std::vector<std::uint8_t> bytes;
    for (std::uint64_t i = 0; i < size; ++i) {
      if (write) at(address + i) = static_cast<std::uint8_t>(i % 4 == 0 ? pick(2) : 0);
      bytes.push_back(at(address + i));
    }
    if (atomic) {
      builder_.range(t, write ? EventKind::AtomicWrite : EventKind::AtomicRead, address, bytes).order =
          trace::MemoryOrder::Relaxed;
    } else {
      builder_.range(t, write ? EventKind::Write : EventKind::Read, address, bytes);
    }
  }
  void variable(std::uint32_t t) {
    const std::uint32_t v = pick(kVariables);
    access(t, kMemory + 8 * v, 4, pick(2) == 0, v == 0 && pick(2) == 0);
  }
  void range(std::uint32_t t) { access(t, kMemory + 8 * pick(kVariables - 1), 16, pick(2) == 0, false); }

  void object(std::uint32_t t) {
    const std::uint32_t o = pick(2);
    const std::uint64_t address = kHeap + 64 * o;
    if (!live_[o] && pick(8) == 0 && freed_[o]) return access(t, address + 8 * pick(2), 4, pick(2) == 0, false);
    if (!live_[o]) {
      builder_.add(t, EventKind::Alloc, address, kObject, trace::kFill);
      for (std::uint64_t i = 0; i < kObject; ++i) at(address + i) = 0;
      live_[o] = true;
    } else if (pick(3) == 0) {
      builder_.add(t, EventKind::Free, address, kObject);
      live_[o] = false;
      freed_[o] = true;
    } else {
      access(t, address + 8 * pick(2), 4, pick(2) == 0, false);
    }
  }

  std::mt19937_64 random_;
  TraceBuilder builder_;
  const bool heap_, blocks_;
  std::array<Thread, kThreads> threads_{};
  std::array<std::uint32_t, kLocks> owner_{}; // 1 + thread; 0: nobody
  std::array<bool, 2> live_{}, freed_{};
  std::map<std::uint64_t, std::uint8_t> memory_;
};

struct Found {
  std::set<std::string> findings;
  std::size_t objections = 0;
  std::uint64_t sieved = 0;
  std::size_t events = 0;
  bool legal = true;
};

// Adds what is found in a trace, or in a piece of one.
inline void look_into(trace::Trace trace, Found& out) {
  out.events += trace.events.size();
  analysis::Spending spending;
  analysis::Progress silent;
  auto prepared = analysis::prepare(std::move(trace), spending, silent);
  if (!prepared) {
    out.legal = false;
    out.findings.insert(prepared.error().message);
    return;
  }
  analysis::Options options;
  options.limits.jobs = 1;
  options.each = true;
  auto findings = analysis::find_all(**prepared, options, spending, silent);
  if (!findings) throw std::runtime_error(findings.error().text());
  out.objections += findings->objections.size();
  out.findings.insert(findings->objections.begin(), findings->objections.end());
  for (const witness::Finding& finding : findings->accepted) {
    std::vector<std::uint32_t> lines;
    for (const witness::Place& place : finding.places)
      lines.push_back((*prepared)->trace.sites[(*prepared)->trace.events[place.event].site].line);
    std::sort(lines.begin(), lines.end());
    // Not the status: with nothing but private accesses between two others, these stood side by side in the recorded run.
    out.findings.insert(fmt::format("{} {}", report::row_of(finding.kind).name, fmt::join(lines, " ")));
  }
}

inline Found found_in(const std::vector<std::uint8_t>& file, trace::Sieve* sieve) {
  Found out;
  trace::ReadOptions reading;
  reading.sieve = sieve;
  auto trace = trace::read_trace_bytes(file, reading);
  if (!trace) throw std::runtime_error(trace.error().text());
  out.sieved = trace->events_sieved;
  look_into(std::move(*trace), out);
  return out;
}

} // namespace sooth::cross
