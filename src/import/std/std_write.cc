// A Trace to STD text.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "import/std/std_format.h"
#include "trace/address_names.h"

namespace sooth::import {

namespace {

using trace::Event;
using trace::EventKind;
using trace::Trace;

// Every address at which some access begins or ends. Between two neighbours nothing is ever touched
// in part.
std::vector<std::uint64_t> edges_of(const Trace& trace) {
  std::vector<std::uint64_t> edges;
  for (const Event& e : trace.events) {
    if (!trace::reads_memory(e.kind) && !trace::writes_memory(e.kind)) continue;
    edges.push_back(e.address);
    edges.push_back(e.address + e.size);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

// Names in STD have no blanks, bars or brackets. Names that differ only in these still stay
// different: the later one gets a number.
class SafeNames {
public:
  const std::string& of(const std::string& name) {
    const auto [known, is_new] = chosen_.try_emplace(name);
    if (!is_new) return known->second;
    std::string safe = name;
    for (char& c : safe)
      if (c == '|' || c == '(' || c == ')' || static_cast<unsigned char>(c) <= ' ') c = '_';
    known->second = safe;
    for (unsigned number = 2; !taken_.insert(known->second).second; ++number)
      known->second = fmt::format("{}_{}", safe, number);
    return known->second;
  }

private:
  std::map<std::string, std::string> chosen_;
  std::set<std::string> taken_;
};

class Writer {
public:
  Writer(const Trace& trace, std::ostream& out) : trace_(trace), out_(out), names_(trace), edges_(edges_of(trace)) {}

  Exported write() {
    for (const Event& e : trace_.events) {
      names_.follow(e);
      event(e);
    }
    return std::move(result_);
  }

private:
  void event(const Event& e) {
    const bool access =
        trace::reads_memory(e.kind) || trace::writes_memory(e.kind); // there the bit has another meaning
    if (e.has(trace::kFailed) && !access && e.kind != EventKind::Wake) return left_out(e, "failed ");
    switch (e.kind) {
    case EventKind::Read:
    case EventKind::AtomicRead: return memory(e, "r");
    case EventKind::Write:
    case EventKind::AtomicWrite: return memory(e, "w");
    case EventKind::AtomicRmw: memory(e, "r"); return memory(e, "w");
    case EventKind::Acquire: return acquire(e, e.address);
    case EventKind::Release: return release(e, e.address);
    case EventKind::Wait: return e.value != 0 ? release(e, e.value) : left_out(e);
    case EventKind::Wake: return e.value != 0 ? acquire(e, e.value) : left_out(e);
    case EventKind::Fork: return line(e, "fork", thread_name(e.value));
    case EventKind::Join: return line(e, "join", thread_name(e.value));
    case EventKind::AtomicBegin: return line(e, "begin", string(e.address));
    case EventKind::AtomicEnd: return line(e, "end", string(e.address));
    case EventKind::ThreadStart: // STD lets a thread begin with its first event and end with its last
    case EventKind::ThreadEnd: return;
    default: return left_out(e);
    }
  }

  void left_out(const Event& e, std::string_view prefix = "") {
    ++result_.left_out[fmt::format("{}{}", prefix, trace::kind_name(e.kind))];
  }

  void memory(const Event& e, std::string_view operation) {
    auto edge = std::lower_bound(edges_.begin(), edges_.end(), e.address);
    for (; edge != edges_.end() && *edge - e.address < e.size; ++edge) line(e, operation, address_name(*edge));
  }

  // Inner holds of a recursive lock are not written: STD does not say what they would mean.
  void acquire(const Event& e, std::uint64_t lock) {
    if (holds_[{e.thread, lock}]++ == 0) line(e, "acq", address_name(lock));
    else ++result_.left_out["inner acquire"];
  }
  void release(const Event& e, std::uint64_t lock) {
    std::uint64_t& depth = holds_[{e.thread, lock}];
    if (depth > 1) ++result_.left_out["inner release"];
    else line(e, "rel", address_name(lock));
    if (depth > 0) --depth;
  }

  std::string address_name(std::uint64_t address) {
    const std::string name = names_.name(address);
    return targets_.of(name.empty() ? fmt::format("{:#x}", address) : name);
  }
  // Imported threads have the names of their file, which are unique.
  std::string thread_name(std::uint64_t thread) {
    if ((trace_.flags & trace::kNoValues) != 0 && thread < trace_.threads.size())
      return threads_.of(trace_.threads[thread].name);
    return fmt::format("T{}", thread);
  }
  std::string string(std::uint64_t number) {
    return number < trace_.strings.size() ? blocks_.of(trace_.strings[number]) : std::string{};
  }

  // An imported location goes back as it was; a place in the source is given by the number of its
  // site.
  std::string location(const Event& e) const {
    if (e.site == 0 || e.site >= trace_.sites.size()) return "0";
    const trace::Site& site = trace_.sites[e.site];
    if (site.file == "location") return std::to_string(site.line);
    if (site.file.starts_with("location ")) return site.file.substr(9);
    return site.file.empty() ? "0" : std::to_string(e.site);
  }

  void line(const Event& e, std::string_view operation, const std::string& target) {
    out_ << thread_name(e.thread) << '|' << operation;
    if (!target.empty()) out_ << '(' << target << ')';
    out_ << '|' << location(e) << '\n';
    ++result_.lines;
  }

  const Trace& trace_;
  std::ostream& out_;
  trace::AddressNames names_;
  SafeNames threads_, targets_, blocks_;
  const std::vector<std::uint64_t> edges_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> holds_; // (thread, lock) -> depth
  Exported result_;
};

} // namespace

Exported write_std(const Trace& trace, std::ostream& out) { return Writer(trace, out).write(); }

} // namespace sooth::import
