// Traces made by hand, one line per event: what the tests of the verifier and of the command line start from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace sooth::trace::testing {

class TraceBuilder {
public:
  explicit TraceBuilder(std::uint32_t threads) {
    trace.threads.resize(threads);
    trace.sites.resize(1);
    trace.strings.push_back("");
  }

  Trace trace;

  Event& add(std::uint32_t thread, EventKind kind, std::uint64_t address = 0, std::uint64_t value = 0,
             std::uint8_t flags = 0) {
    Event e;
    e.thread = thread;
    e.kind = kind;
    e.address = address;
    e.value = value;
    e.flags = flags;
    trace.events.push_back(e);
    return trace.events.back();
  }

  Event& access(std::uint32_t thread, EventKind kind, std::uint64_t address, std::uint32_t size, std::uint64_t value,
                std::uint8_t flags = 0) {
    Event& e = add(thread, kind, address, value, flags);
    e.size = size;
    const bool atomic = kind == EventKind::AtomicRead || kind == EventKind::AtomicWrite || kind == EventKind::AtomicRmw;
    if (atomic) e.order = MemoryOrder::SeqCst;
    return e;
  }
  Event& read(std::uint32_t thread, std::uint64_t address, std::uint32_t size, std::uint64_t value) {
    return access(thread, EventKind::Read, address, size, value);
  }
  Event& write(std::uint32_t thread, std::uint64_t address, std::uint32_t size, std::uint64_t value) {
    return access(thread, EventKind::Write, address, size, value);
  }
  Event& rmw(std::uint32_t thread, std::uint64_t address, std::uint32_t size, std::uint64_t seen,
             std::uint64_t written) {
    Event& e = access(thread, EventKind::AtomicRmw, address, size, written);
    e.extra = seen;
    return e;
  }
  // A range with its contents.
  Event& range(std::uint32_t thread, EventKind kind, std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 8; ++i) first |= std::uint64_t{bytes[i]} << (8 * i);
    Event& e = access(thread, kind, address, static_cast<std::uint32_t>(bytes.size()), first);
    if (bytes.size() > 8) {
      e.flags |= kPayload;
      e.extra = trace.bytes.size();
      trace.bytes.insert(trace.bytes.end(), bytes.begin(), bytes.end());
    }
    return e;
  }

  std::uint32_t site(std::string file, std::uint32_t line, std::string function, std::string variable,
                     std::uint32_t flags = 0) {
    trace.sites.push_back({std::move(file), line, 3, std::move(function), std::move(variable), flags});
    return static_cast<std::uint32_t>(trace.sites.size() - 1);
  }
  std::uint64_t string(std::string name) {
    trace.strings.push_back(std::move(name));
    return trace.strings.size() - 1;
  }
  // Globals must be added in the order of their addresses.
  void global(std::uint64_t address, std::uint64_t bytes, std::string name) {
    trace.globals.push_back({address, bytes, std::move(name), "", "", 0});
  }
};

} // namespace sooth::trace::testing
