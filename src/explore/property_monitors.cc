#include "explore/property_monitors.h"

#include <algorithm>

namespace sooth::explore {

namespace {

constexpr std::uint32_t kNotKept = 0xffffffff;

std::uint64_t low_bits(std::size_t count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }

} // namespace

PropertyMonitors::PropertyMonitors(const logic::PropertyFile& file, const PropertyEvents& events)
    : file_(file), events_(events) {
  for (const logic::Property& property : file.properties)
    if (property.monitor != nullptr) properties_.push_back(&property);
  find_atoms();
  choose_kept();
  work_out();
}

void PropertyMonitors::find_atoms() {
  for (const logic::Property* property : properties_) {
    first_atom_.push_back(atoms_.size());
    for (const logic::Expression& expression : property->atoms) {
      Atom atom{.expression = &expression};
      for (const logic::Instruction& instruction : expression.code()) {
        if (instruction.op == logic::Op::Happened) atom.on_events = true;
        if (instruction.op != logic::Op::Load) continue;
        const auto variable = static_cast<std::uint32_t>(instruction.operand);
        if (std::ranges::find(atom.variables, variable) == atom.variables.end()) atom.variables.push_back(variable);
      }
      atoms_.push_back(std::move(atom));
    }
  }
  bit_words_ = std::max<std::size_t>(1, (atoms_.size() + 63) / 64);
}

// Values are kept if an atom's truth is not a constant of the event: it looks at several variables,
// at a variable and an event, or at one that is written in part or has no fixed place.
void PropertyMonitors::choose_kept() {
  std::vector<bool> in_part(file_.variables.size(), false);
  for (std::size_t v = 0; v < in_part.size(); ++v) in_part[v] = file_.variables[v].watched;
  for (const Effect& effect : events_.effects) {
    const std::uint64_t all = low_bits(8 * std::size_t{file_.variables[effect.variable].size});
    if ((effect.mask & all) != all) in_part[effect.variable] = true;
  }
  kept_at_.assign(file_.variables.size(), kNotKept);
  bound_at_.assign(file_.variables.size(), kNotKept);
  for (Atom& atom : atoms_) {
    atom.evaluated = atom.variables.size() + (atom.on_events ? 1 : 0) > 1 ||
                     std::ranges::any_of(atom.variables, [&](std::uint32_t v) { return in_part[v]; });
    if (!atom.evaluated) continue;
    for (const std::uint32_t v : atom.variables) kept_at_[v] = 0;
  }
  std::uint32_t next = static_cast<std::uint32_t>(bit_words_);
  for (std::uint32_t& at : kept_at_)
    if (at != kNotKept) at = next++;
  kept_variables_ = next - bit_words_;
  for (std::size_t v = 0; v < kept_at_.size(); ++v)
    if (kept_at_[v] != kNotKept && file_.variables[v].watched) bound_at_[v] = next++;
  bound_variables_ = next - bit_words_ - kept_variables_;
}

void PropertyMonitors::work_out() {
  momentary_.assign(bit_words_, 0);
  for (std::size_t a = 0; a < atoms_.size(); ++a)
    if (atoms_[a].on_events) momentary_[a / 64] |= std::uint64_t{1} << (a % 64);
  std::vector<std::uint64_t> values = events_.initial;
  changes_.reserve(events_.events.size());
  if (!events_.events.empty()) change_of_.assign(events_.events.back().event + 1, 0);
  for (const RelevantEvent& event : events_.events) {
    change_of_[event.event] = static_cast<std::uint32_t>(changes_.size());
    Change& change = changes_.emplace_back();
    change.event = &event;
    change.mask = momentary_;
    change.bits.assign(bit_words_, 0);
    std::vector<bool> changed(values.size(), false);
    for (std::uint32_t k = event.first_effect; k < event.first_effect + event.effects; ++k) {
      const Effect& effect = events_.effects[k];
      changed[effect.variable] = true;
      if (!file_.variables[effect.variable].watched)
        values[effect.variable] = (values[effect.variable] & ~effect.mask) | effect.bits;
    }
    for (std::uint32_t a = 0; a < atoms_.size(); ++a) {
      const Atom& atom = atoms_[a];
      const bool depends =
          atom.on_events || std::ranges::any_of(atom.variables, [&](std::uint32_t v) { return changed[v]; });
      if (!depends) continue;
      const std::uint64_t bit = std::uint64_t{1} << (a % 64);
      if (atom.evaluated) {
        change.evaluate.push_back(a);
        continue;
      }
      // One variable, which this event writes whole, or events only: the other values do not
      // matter.
      change.mask[a / 64] |= bit;
      if (holds(atom, values, event.happened)) change.bits[a / 64] |= bit;
    }
  }
}

bool PropertyMonitors::holds(const Atom& atom, std::span<const std::uint64_t> all, std::uint64_t happened) const {
  logic::Faults faults;
  const bool is_true = atom.expression->evaluate(all, file_.types, happened, &faults);
  if (faults.any()) { // counts that nothing depends on: relaxed
    divisions_by_zero_.fetch_add(faults.divisions_by_zero, std::memory_order_relaxed);
    wide_shifts_.fetch_add(faults.wide_shifts, std::memory_order_relaxed);
  }
  return is_true;
}

bool PropertyMonitors::evaluate(const Atom& atom, std::span<const std::uint64_t> values, std::uint64_t happened) const {
  static thread_local std::vector<std::uint64_t> all;
  all.assign(file_.variables.size(), 0);
  for (const std::uint32_t v : atom.variables) {
    const bool bound = bound_at_[v] == kNotKept || values[bound_at_[v]] != 0;
    all[v] = bound ? values[kept_at_[v]] : 0;
  }
  return holds(atom, all, happened);
}

Letter PropertyMonitors::begin(std::span<std::uint64_t> values) const {
  std::ranges::fill(values, 0);
  for (std::size_t v = 0; v < kept_at_.size(); ++v)
    if (kept_at_[v] != kNotKept) values[kept_at_[v]] = events_.initial[v];
  std::vector<std::uint64_t> letter(bit_words_, 0);
  for (std::size_t a = 0; a < atoms_.size(); ++a) {
    const bool truth = atoms_[a].evaluated ? evaluate(atoms_[a], values, 0) : holds(atoms_[a], events_.initial, 0);
    if (truth) letter[a / 64] |= std::uint64_t{1} << (a % 64);
  }
  for (std::size_t w = 0; w < bit_words_; ++w) values[w] = letter[w] & ~momentary_[w];
  return letter_of(letter);
}

void PropertyMonitors::take_effect(const Effect& effect, std::span<std::uint64_t> values) const {
  const std::uint32_t at = kept_at_[effect.variable], bound = bound_at_[effect.variable];
  if (at == kNotKept) return;
  if (effect.binds != 0) values[bound] = effect.binds;
  else if (effect.binding != kAnyBinding && values[bound] != effect.binding) return;
  values[at] = (values[at] & ~effect.mask) | effect.bits;
}

Letter PropertyMonitors::apply(EventName event, std::span<std::uint64_t> values) const {
  const Change& change = changes_[change_of_[event]];
  for (std::uint32_t k = change.event->first_effect; k < change.event->first_effect + change.event->effects; ++k)
    take_effect(events_.effects[k], values);
  for (std::size_t w = 0; w < bit_words_; ++w) values[w] = (values[w] & ~change.mask[w]) | change.bits[w];
  for (const std::uint32_t a : change.evaluate) {
    const std::uint64_t bit = std::uint64_t{1} << (a % 64);
    if (evaluate(atoms_[a], values, change.event->happened)) values[a / 64] |= bit;
    else values[a / 64] &= ~bit;
  }
  const Letter letter = letter_of(values.first(bit_words_));
  for (std::size_t w = 0; w < bit_words_; ++w) values[w] &= ~momentary_[w]; // not part of the state
  return letter;
}

Letter PropertyMonitors::letter_of(std::span<const std::uint64_t> bits) const {
  if (bit_words_ == 1) return bits[0];
  const std::scoped_lock lock(mutex_);
  const auto [entry, fresh] = numbers_.try_emplace(std::vector(bits.begin(), bits.end()), letters_.size());
  if (fresh) letters_.push_back(entry->first);
  return entry->second;
}

logic::Letter PropertyMonitors::for_monitor(std::size_t monitor, Letter letter) const {
  const std::size_t first = first_atom_[monitor], count = properties_[monitor]->atoms.size();
  if (count == 0) return {0};
  if (bit_words_ == 1) return {(letter >> first) & low_bits(count)};
  const std::scoped_lock lock(mutex_);
  const std::vector<std::uint64_t>& words = letters_[letter];
  std::uint64_t bits = words[first / 64] >> (first % 64);
  if (first % 64 + count > 64) bits |= words[first / 64 + 1] << (64 - first % 64);
  return {bits & low_bits(count)};
}

Move PropertyMonitors::start(std::size_t monitor, Letter letter) const {
  const logic::Verdict verdict = properties_[monitor]->monitor->first(for_monitor(monitor, letter));
  return {verdict.next, verdict.violated};
}

Move PropertyMonitors::step(std::size_t monitor, MonitorState state, Letter letter) const {
  const logic::Verdict verdict = properties_[monitor]->monitor->step(state, for_monitor(monitor, letter));
  return {verdict.next, verdict.violated};
}

} // namespace sooth::explore
