#include "observe/monitors.h"

#include <algorithm>

namespace sooth::observe {
namespace {

constexpr explore::Letter kSilent = explore::Letter{1} << 63;
constexpr unsigned kLetterBits = 63;

constexpr explore::EventName name_of(std::uint32_t thread, std::uint32_t index) {
  return std::uint64_t{thread} << 32 | index;
}

} // namespace

MessageMonitors::MessageMonitors(const logic::PropertyFile& file, RunState start)
    : file_(file), start_(std::move(start)) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < file.properties.size(); ++i) {
    if (file.properties[i].monitor == nullptr) continue;
    watched_.push_back(i);
    shift_.push_back(bits);
    bits += static_cast<unsigned>(file.properties[i].atoms.size());
  }
  packed_ = bits <= kLetterBits;
  start_.values.resize(file.variables.size());
}

explore::Letter MessageMonitors::letter(std::span<const std::uint64_t> values, std::uint64_t happened) const {
  if (packed_) {
    explore::Letter out = 0;
    for (std::size_t m = 0; m < watched_.size(); ++m)
      out |= file_.letter(property(m), values, happened, &faults_).atoms << shift_[m];
    return out;
  }
  std::vector<std::uint64_t> all(watched_.size());
  for (std::size_t m = 0; m < watched_.size(); ++m)
    all[m] = file_.letter(property(m), values, happened, &faults_).atoms;
  const auto [at, fresh] = letters_.try_emplace(std::move(all), by_letter_.size());
  if (fresh) by_letter_.push_back(at->first);
  return at->second;
}

std::uint64_t MessageMonitors::atoms(std::size_t monitor, explore::Letter letter) const {
  if (!packed_) return by_letter_[letter][monitor];
  const std::size_t count = property(monitor).atoms.size();
  return letter >> shift_[monitor] & (count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1);
}

explore::Letter MessageMonitors::begin(std::span<std::uint64_t> values) const {
  std::ranges::copy(start_.values, values.begin());
  return letter(values, 0);
}

explore::Letter MessageMonitors::apply(const Happening& happening, std::span<std::uint64_t> values) const {
  if (happening.is_silent()) return kSilent;
  for (const VariableWrite& write : happening.writes) values[write.variable] = write.value;
  return letter(values, happening.happened);
}

explore::Letter MessageMonitors::apply(explore::EventName event, std::span<std::uint64_t> values) const {
  return apply(kept(event), values);
}

explore::Move MessageMonitors::start(std::size_t monitor, explore::Letter letter) const {
  if (!start_.states.empty()) return {start_.states[monitor], false};
  const logic::Verdict verdict = property(monitor).monitor->first({atoms(monitor, letter)});
  return {verdict.next, verdict.violated};
}

explore::Move MessageMonitors::step(std::size_t monitor, explore::MonitorState state, explore::Letter letter) const {
  if (letter == kSilent) return {state, false};
  const logic::Verdict verdict = property(monitor).monitor->step(state, {atoms(monitor, letter)});
  return {verdict.next, verdict.violated};
}

explore::EventName MessageMonitors::keep(std::uint32_t thread, std::uint32_t index, Happening happening) {
  kept_[thread].try_emplace(index, std::move(happening));
  return name_of(thread, index);
}

const Happening& MessageMonitors::kept(explore::EventName event) const {
  static const Happening nothing;
  const auto thread = kept_.find(static_cast<std::uint32_t>(event >> 32));
  if (thread == kept_.end()) return nothing;
  const auto at = thread->second.find(static_cast<std::uint32_t>(event));
  return at != thread->second.end() ? at->second : nothing;
}

void MessageMonitors::forget(std::uint32_t thread, std::uint32_t count) {
  const auto own = kept_.find(thread);
  if (own != kept_.end()) own->second.erase(own->second.begin(), own->second.lower_bound(count));
}

} // namespace sooth::observe
