#include "trace/program/checks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "trace/check_words.h"

namespace sooth::trace {

namespace {

constexpr std::size_t kMaxLoads = 8, kMaxWords = 256; // of one check
constexpr std::size_t kNear = 16;                     // events in which a check's loads are looked for

struct Number {
  std::uint64_t value = 0;
  unsigned bits = 0;
};

std::uint64_t masked(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
std::int64_t with_sign(const Number& number) {
  const unsigned unused = 64 - number.bits;
  return static_cast<std::int64_t>(number.value << unused) >> unused;
}

// The operations of two numbers of the same width.
std::optional<std::uint64_t> of_two(CheckOperation operation, const Number& a, const Number& b) {
  const bool shifts = b.value < a.bits;
  switch (operation) {
  case CheckOperation::Add: return a.value + b.value;
  case CheckOperation::Subtract: return a.value - b.value;
  case CheckOperation::Multiply: return a.value * b.value;
  case CheckOperation::And: return a.value & b.value;
  case CheckOperation::Or: return a.value | b.value;
  case CheckOperation::Xor: return a.value ^ b.value;
  case CheckOperation::ShiftLeft: return shifts ? std::optional(a.value << b.value) : std::nullopt;
  case CheckOperation::ShiftRight: return shifts ? std::optional(a.value >> b.value) : std::nullopt;
  case CheckOperation::ShiftRightSigned:
    return shifts ? std::optional(static_cast<std::uint64_t>(with_sign(a) >> b.value)) : std::nullopt;
  case CheckOperation::Equal: return a.value == b.value;
  case CheckOperation::NotEqual: return a.value != b.value;
  case CheckOperation::Above: return a.value > b.value;
  case CheckOperation::AboveEqual: return a.value >= b.value;
  case CheckOperation::Below: return a.value < b.value;
  case CheckOperation::BelowEqual: return a.value <= b.value;
  case CheckOperation::Greater: return with_sign(a) > with_sign(b);
  case CheckOperation::GreaterEqual: return with_sign(a) >= with_sign(b);
  case CheckOperation::Less: return with_sign(a) < with_sign(b);
  case CheckOperation::LessEqual: return with_sign(a) <= with_sign(b);
  default: return std::nullopt;
  }
}

class Evaluation {
public:
  Evaluation(const Check& check, std::span<const std::uint64_t> values)
      : words_(std::span(check.condition).subspan(exit_status(check) == 0 ? 0 : 1)), values_(values) {}

  std::optional<bool> result() {
    while (!words_.empty())
      if (!step()) return std::nullopt;
    if (stack_.size() != 1 || stack_[0].bits != 1) return std::nullopt;
    return stack_[0].value == 1;
  }

private:
  bool step() {
    const std::uint32_t word = words_.front();
    words_ = words_.subspan(1);
    const auto operation = static_cast<CheckOperation>(word & 0xff);
    const unsigned bits = word >> 8 & 0xff;
    const std::size_t index = word >> 16;
    if (bits == 0 || bits > 64) return false;
    switch (operation) {
    case CheckOperation::Load: return index < values_.size() && push(values_[index], bits);
    case CheckOperation::Constant: {
      if (words_.size() < 2) return false;
      const std::uint64_t value = words_[0] | std::uint64_t{words_[1]} << 32;
      words_ = words_.subspan(2);
      return push(value, bits);
    }
    case CheckOperation::ZeroExtend:
    case CheckOperation::Truncate: return has(1) && push(pop().value, bits);
    case CheckOperation::SignExtend: return has(1) && push(static_cast<std::uint64_t>(with_sign(pop())), bits);
    case CheckOperation::Select: return select(bits);
    default: return two(operation, bits);
    }
  }
  bool select(unsigned bits) {
    if (!has(3)) return false;
    const Number otherwise = pop(), then = pop(), condition = pop();
    return push(condition.value == 1 ? then.value : otherwise.value, bits);
  }
  bool two(CheckOperation operation, unsigned bits) {
    if (!has(2)) return false;
    const Number b = pop(), a = pop();
    if (a.bits != b.bits) return false;
    const auto value = of_two(operation, a, b);
    return value && push(*value, bits);
  }

  bool has(std::size_t numbers) const { return stack_.size() >= numbers; }
  bool push(std::uint64_t value, unsigned bits) {
    stack_.push_back({masked(value, bits), bits});
    return true;
  }
  Number pop() {
    const Number top = stack_.back();
    stack_.pop_back();
    return top;
  }

  std::span<const std::uint32_t> words_;
  std::span<const std::uint64_t> values_;
  std::vector<Number> stack_;
};

} // namespace

std::uint32_t exit_status(const Check& check) {
  const bool exits = !check.condition.empty() && (check.condition.front() & 0xff) == kExits;
  return exits ? check.condition.front() >> 16 : 0;
}

bool is_failure(const ProcessInfo& process, const Check& check) {
  if (exit_status(check) == 0) return true;
  return (process.end == EndKind::Exit || process.end == EndKind::QuickExit) && process.end_value == 0;
}

std::optional<bool> fails(const Check& check, std::span<const std::uint64_t> values) {
  return Evaluation(check, values).result();
}

std::vector<std::uint32_t> loads_of(const Trace& trace, std::uint32_t event) {
  const Event& first = trace.events[event];
  if (first.site >= trace.sites.size() || trace.sites[first.site].check == 0) return {};
  const Check& check = trace.checks[trace.sites[first.site].check];
  std::vector<std::uint32_t> out = {event};
  std::size_t own = 0; // events of the thread since
  for (std::uint32_t i = event + 1; out.size() < check.loads.size() && i < trace.events.size(); ++i) {
    const Event& e = trace.events[i];
    if (e.thread != first.thread) continue;
    if (writes_memory(e.kind) || !reads_memory(e.kind) || ++own > kNear) return {};
    if (e.site == check.loads[out.size()]) out.push_back(i);
  }
  return out.size() == check.loads.size() ? out : std::vector<std::uint32_t>();
}

bool read_checks(std::span<const std::uint8_t> payload, const StringAt& string, std::span<Site> sites, Trace& trace) {
  Words words(payload);
  const auto first_site = static_cast<std::uint32_t>(sites.data() - trace.sites.data());
  std::vector<Check> checks;
  while (words.good() && !words.at_end()) {
    Check& check = checks.emplace_back();
    check.fails = string(words.next());
    const std::uint32_t loads = words.next();
    if (loads == 0 || loads > kMaxLoads || !words.has(loads, 1)) return false;
    for (std::uint32_t i = 0; i < loads; ++i) {
      const std::uint32_t row = words.next();
      if (row >= sites.size()) return false;
      check.loads.push_back(first_site + row);
    }
    const std::uint32_t size = words.next();
    if (size > kMaxWords || !words.has(size, 1)) return false;
    for (std::uint32_t i = 0; i < size; ++i) check.condition.push_back(words.next());
  }
  if (!words.good()) return false;
  if (trace.checks.empty()) trace.checks.emplace_back();
  for (Check& check : checks) {
    trace.sites[check.loads.front()].check = static_cast<std::uint32_t>(trace.checks.size());
    trace.checks.push_back(std::move(check));
  }
  return true;
}

std::vector<std::uint8_t> make_checks(const Trace& trace, StringTable& strings) {
  std::vector<std::uint8_t> payload, out;
  for (std::size_t i = 1; i < trace.checks.size(); ++i) {
    const Check& check = trace.checks[i];
    put(payload, strings.add(check.fails));
    put(payload, static_cast<std::uint32_t>(check.loads.size()));
    for (const std::uint32_t site : check.loads) put(payload, site - 1);
    put(payload, static_cast<std::uint32_t>(check.condition.size()));
    for (const std::uint32_t word : check.condition) put(payload, word);
  }
  if (!payload.empty()) put_section(out, kFactChecks, payload);
  return out;
}

} // namespace sooth::trace
