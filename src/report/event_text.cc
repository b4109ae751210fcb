#include "report/event_text.h"

#include <bit>

#include <fnmatch.h>

#include <fmt/format.h>

namespace sooth::report {

using trace::Event;
using trace::EventKind;
using trace::ObjectKind;
using trace::Site;
using trace::Trace;

namespace {

// A number of `size` bytes, by the type in the source.
std::string number_text(std::uint64_t value, std::uint32_t size, std::uint32_t site_flags) {
  if ((site_flags & trace::kSiteFloat) != 0 && size == 4)
    return fmt::format("{:g}", std::bit_cast<float>(static_cast<std::uint32_t>(value)));
  if ((site_flags & trace::kSiteFloat) != 0 && size == 8) return fmt::format("{:g}", std::bit_cast<double>(value));
  if ((site_flags & trace::kSitePointer) != 0) return fmt::format("{:#x}", value);
  if ((site_flags & trace::kSiteSigned) != 0 && size >= 1 && size <= 8) {
    const unsigned unused = 64 - 8 * size;
    return fmt::format("{}", static_cast<std::int64_t>(value << unused) >> unused);
  }
  return value < 0x1'0000'0000 ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

std::string memory_text(const Trace& trace, const Event& e, std::uint32_t site_flags) {
  if (e.has(trace::kOpaque)) return "(not kept)";
  if (e.has(trace::kFill)) return fmt::format("all {:#04x}", e.value & 0xff);
  if (e.size > 8) {
    constexpr std::uint64_t kShown = 8;
    const std::uint64_t skip = e.kind == EventKind::AtomicRmw ? e.size : 0;
    std::string out;
    for (std::uint64_t i = 0; i < kShown && e.extra + skip + i < trace.bytes.size(); ++i)
      out += fmt::format("{}{:02x}", i == 0 ? "" : " ", trace.bytes[e.extra + skip + i]);
    return out + " ...";
  }
  const std::string written = number_text(e.value, e.size, site_flags);
  return e.kind == EventKind::AtomicRmw ? number_text(e.extra, e.size, site_flags) + " -> " + written : written;
}

} // namespace

bool has_address(EventKind kind) {
  switch (object_of(kind)) {
  case ObjectKind::Fence:
  case ObjectKind::Thread:
  case ObjectKind::Name:
  case ObjectKind::Descriptor:
  case ObjectKind::Call: return false;
  default: return kind != EventKind::ProcessFork;
  }
}

bool other_thread(const Event& e, std::uint32_t& thread) {
  if (object_of(e.kind) != ObjectKind::Thread || e.kind == EventKind::ThreadEnd) return false;
  thread = static_cast<std::uint32_t>(e.value);
  return e.value < ~std::uint32_t{0};
}

bool is_named(EventKind kind) {
  return kind == EventKind::User || kind == EventKind::AtomicBegin || kind == EventKind::AtomicEnd ||
         kind == EventKind::ThreadName;
}

bool is_lock_event(EventKind kind) { return object_of(kind) == ObjectKind::Lock; }

std::string string_at(const Trace& trace, std::uint64_t number) {
  return number < trace.strings.size() ? trace.strings[number] : std::string{};
}

std::vector<std::string_view> flag_names(const Event& e) {
  static constexpr std::pair<trace::EventFlags, std::string_view> kNames[] = {
      {trace::kTicket, "ticket"},     {trace::kHeld, "held"},     {trace::kMerged, "merged"},
      {trace::kPayload, "payload"},   {trace::kFill, "fill"},     {trace::kOpaque, "opaque"},
      {trace::kVolatile, "volatile"}, {trace::kFailed, "failed"},
  };
  const bool plain = e.kind == EventKind::Read || e.kind == EventKind::Write; // for these, the bit means kGlued
  std::vector<std::string_view> out;
  for (const auto& [flag, name] : kNames)
    if (e.has(flag)) out.push_back(plain && flag == trace::kFailed ? "glued" : name);
  return out;
}

bool explains_schedules(EventKind kind) {
  switch (kind) {
  case EventKind::Alloc:
  case EventKind::Map:
  case EventKind::Unmap:
  case EventKind::StackBegin:
  case EventKind::StackEnd:
  case EventKind::ThreadName:
  case EventKind::Watch:
  case EventKind::LockInit:
  case EventKind::AtomicWrite:
  case EventKind::AtomicRmw: return false;
  default: return trace::kind_is_ticketed(kind);
  }
}

std::string lock_type_text(std::uint64_t type) {
  static constexpr std::pair<std::uint64_t, std::string_view> kNames[] = {
      {trace::kLockRobust, "robust"},
      {trace::kLockProcessShared, "process-shared"},
      {trace::kLockSpin, "spin"},
      {trace::kLockReadWrite, "read-write"},
      {trace::kLockCondition, "condition"},
      {trace::kLockAnnotated, "annotated"},
      {trace::kLockPreferWriter, "prefers writers"},
      {trace::kLockOwnerDied, "owner died"},
      {trace::kLockTry, "try"},
      {trace::kLockTimed, "timed"},
  };
  static constexpr std::string_view kClasses[] = {"", "recursive", "error-checking", "adaptive"};
  std::string out(kClasses[type & trace::kLockClassMask]);
  for (const auto& [bit, name] : kNames)
    if ((type & bit) != 0) out += fmt::format("{}{}", out.empty() ? "" : ", ", name);
  return out;
}

std::string thread_text(const Trace& trace, std::uint32_t thread) {
  const bool named = thread < trace.threads.size() && !trace.threads[thread].name.empty();
  return named ? fmt::format("{} {}", thread, trace.threads[thread].name) : std::to_string(thread);
}

void Narrator::follow(std::size_t index) {
  index_ = index;
  names_.follow(event());
  left_ = 0;
  if (event().kind == EventKind::Exit && event().value < stack().size())
    left_ = stack()[static_cast<std::size_t>(event().value)].function;
  stacks_.advance_to(index);
}

const Site& Narrator::left() const {
  static const Site unknown;
  return left_ < trace_.sites.size() ? trace_.sites[left_] : unknown;
}

const Site& Narrator::own_site() const {
  static const Site unknown;
  const std::uint32_t site = event().site;
  return site < trace_.sites.size() ? trace_.sites[site] : unknown;
}

const Site& Narrator::place() const {
  if ((own_site().flags & trace::kSiteSystem) == 0) return own_site();
  const std::uint32_t site = trace::user_site(trace_, event(), stacks_.stack(event().thread));
  return site < trace_.sites.size() ? trace_.sites[site] : own_site();
}

std::string Narrator::place_text() const {
  const Site& site = place();
  if (site.file.empty() || site.line == 0) return site.file;
  return fmt::format("{}:{}", site.file, site.line);
}

std::string Narrator::function() const { return place().function; }

Event Narrator::shown_event() const { return event().kind == EventKind::Request ? trace::awaited(event()) : event(); }

std::string Narrator::variable() const {
  const Event e = shown_event();
  if (is_named(e.kind)) return string_at(trace_, e.address);
  if (object_of(e.kind) == ObjectKind::Descriptor) return fmt::format("file descriptor {}", e.address - 1);
  if (object_of(e.kind) == ObjectKind::Handler) return fmt::format("signal {}", e.value);
  const Site& site = own_site();
  const bool touched = trace::reads_memory(e.kind) || trace::writes_memory(e.kind);
  // In a system header, the source's name (`this->_M_i`) says less than the object's name.
  if (touched && !site.variable.empty() && (site.flags & trace::kSiteSystem) == 0) return site.variable;
  if (has_address(e.kind))
    if (std::string name = names_.name(e.address); !name.empty()) return name;
  return touched ? site.variable : std::string{};
}

bool Narrator::variable_matches(const std::string& glob) const {
  const auto matches = [&](const std::string& name) {
    return !name.empty() && fnmatch(glob.c_str(), name.c_str(), 0) == 0;
  };
  if (matches(own_site().variable) || matches(variable())) return true;
  if (!has_address(event().kind)) return false;
  const std::string object = names_.name(event().address);
  const std::string whole = object.substr(0, object.rfind('+'));
  if (matches(object) || matches(whole)) return true;
  // The name of a static variable begins with its file: `total` also matches `bank.c:total`.
  const std::size_t colon = whole.find(':');
  return colon != std::string::npos && whole.compare(colon, 2, "::") != 0 && matches(whole.substr(colon + 1));
}

std::string Narrator::value_text() const {
  const Event e = shown_event();
  std::uint32_t other = 0;
  if (trace::reads_memory(e.kind) || trace::writes_memory(e.kind)) return memory_text(trace_, e, own_site().flags);
  if (other_thread(e, other))
    return (e.kind == EventKind::ThreadStart ? "by thread " : "thread ") + thread_text(trace_, other);
  std::string text;
  switch (e.kind) {
  case EventKind::Wait:
  case EventKind::Wake: {
    if (event().kind == EventKind::Request) break; // the preceding wait names it
    const std::string name = names_.name(e.value);
    text = "mutex " + (name.empty() ? fmt::format("{:#x}", e.value) : name);
    break;
  }
  case EventKind::Alloc:
  case EventKind::Free:
  case EventKind::Map:
  case EventKind::Unmap:
  case EventKind::StackBegin:
  case EventKind::StackEnd: text = fmt::format("{} bytes{}", e.value, e.has(trace::kFill) ? ", zero" : ""); break;
  case EventKind::BarrierInit: text = fmt::format("{} threads", e.value & 0xffffffff); break;
  case EventKind::Watch: text = string_at(trace_, e.value >> 32); break;
  case EventKind::SignalEnter: text = e.has(trace::kFill) ? "expected" : ""; break;
  case EventKind::SignalExit: return e.has(trace::kFailed) ? "errno changed" : "";
  case EventKind::Crash:
    text = fmt::format("signal {}", e.value & 0xffffffff);
    if (const std::string words = string_at(trace_, e.value >> 32); !words.empty()) text += ", " + words;
    break;
  case EventKind::Exit: text = fmt::format("{} left", e.value); break;
  case EventKind::SemInit:
  case EventKind::Branch:
  case EventKind::User:
  case EventKind::FutexWake: text = std::to_string(e.value); break;
  case EventKind::FutexWait: text = std::to_string(e.value & 0xffffffff); break;
  case EventKind::ProcessFork: text = fmt::format("process {}", e.address != 0 ? e.address : e.value); break;
  default:
    if (is_lock_event(e.kind)) text = lock_type_text(e.value);
  }
  if (e.has(trace::kFailed)) text += text.empty() ? "failed" : ", failed";
  return text;
}

} // namespace sooth::report
