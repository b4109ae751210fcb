#include "explore/lattice.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "explore/channel.h"
#include "explore/clock_stepper.h"
#include "explore/level_walk.h"
#include "explore/look_ahead.h"

namespace sooth::explore {

class Lattice::Engine : public CutMeaning {
public:
  Engine(const MonitorSet& monitors, const Options& options) : walk_(monitors, options), options_(options) {
    know(0);
    packing_.clear();
    walk_.begin(packing_.words(), {});
  }

  std::optional<Error> add(const Message& message);
  void finish() {
    for (Channel& channel : channels_) channel.cut_off();
    blocked_ = false;
  }
  bool advance(std::uint64_t levels);

  std::optional<std::set<std::uint32_t>> look_ahead(std::size_t most);

  const Exploration& result() const { return walk_.result(); }
  std::uint64_t pending() const;
  bool input_complete() const {
    return std::ranges::all_of(channels_, [](const Channel& c) { return c.closed() && !c.was_cut_off(); });
  }
  std::uint64_t unreached() const {
    std::uint64_t events = 0;
    for (const Channel& channel : channels_) events += channel.arrived();
    const Exploration& all = walk_.result();
    return all.end == End::Complete && all.violations.empty() ? events - (all.statistics.levels - 1) : 0;
  }
  Count forgotten(ThreadNumber thread) const { return thread < channels_.size() ? channels_[thread].first() : 0; }
  std::uint64_t bytes() const {
    std::uint64_t sum = walk_.bytes();
    for (const Channel& channel : channels_) sum += channel.bytes();
    return sum;
  }

  std::vector<Count> unpack(const std::uint64_t* cut) const override {
    std::vector<Count> out = settled_;
    for (std::size_t f = 0; f < packing_.fields(); ++f)
      out[packing_.field(f).thread] = packing_.get(cut, packing_.field(f));
    return out;
  }
  EventName event_of(ThreadNumber thread, Count index) const override { return channels_[thread].event(index).name; }

private:
  static constexpr ThreadNumber kThreadsAhead = 1u << 16; // how far a thread's number may be above those seen

  void know(ThreadNumber thread) {
    if (thread < channels_.size()) return;
    channels_.resize(std::size_t{thread} + 1);
    settled_.resize(channels_.size(), 0);
    observed_.resize(channels_.size(), 0);
    lane_filled_.resize(channels_.size(), 0);
  }
  Count count_of(const std::uint64_t* record, ThreadNumber thread) const {
    const std::uint32_t field = packing_.field_of(thread);
    return field == Packing::kNoField ? settled_[thread] : packing_.get(record, packing_.field(field));
  }
  bool ready();
  bool needs(ThreadNumber thread) const;
  void prepare();
  void pack();
  void choose_fields(const std::vector<Count>& low, const std::vector<Count>& high);
  Packing packing_with(Count room, const std::vector<Count>& low, const std::vector<Count>& high) const;
  void fill(ThreadNumber thread, const Packing::Field& field);
  void pack_clock(const Channel::Event& event, ThreadNumber thread, const Packing::Field& own,
                  std::uint64_t* out) const;
  std::uint64_t levels_ahead() const;
  std::uint32_t lead(std::uint64_t levels) const;
  void follow_observed(std::size_t levels);
  std::uint64_t expand(std::uint64_t most);

  LevelWalk walk_;
  const Options options_;
  std::vector<Channel> channels_; // by thread
  Packing packing_;
  std::vector<Lane> lanes_;                 // by field
  std::vector<Count> reach_;                // by field: no node of the level is beyond this
  std::vector<Count> settled_;              // by thread: the count of those without a field, in every node
  std::vector<Count> lane_filled_;          // by thread: events up to here are in its lane
  std::vector<Count> observed_;             // by thread: the observed run's cut of this level
  ObservedRun observed_run_;                // for the levels that are made now
  std::vector<ThreadNumber> observed_next_; // the threads that it moves there; one that is not there if it is over
  bool any_glued_ = false;
  bool blocked_ = false; // the level waits for the thread below, which had this version
  ThreadNumber blocker_ = 0;
  std::uint64_t blocker_version_ = 0;
};

std::optional<Error> Lattice::Engine::add(const Message& message) {
  const auto seen = static_cast<ThreadNumber>(channels_.size());
  if (message.thread > seen + kThreadsAhead || message.other > seen + kThreadsAhead)
    return Error{"a message names a thread that cannot exist yet"};
  know(message.thread);
  any_glued_ = any_glued_ || message.glued;
  std::vector<ThreadNumber> children;
  bool impossible = false;
  const std::string wrong = channels_[message.thread].take(message, [&](ThreadNumber child) {
    if (child > seen + kThreadsAhead) impossible = true;
    else children.push_back(child);
  });
  for (const ThreadNumber child : children) know(child);
  if (!wrong.empty()) return Error{wrong};
  if (impossible) return Error{"a message names a thread that cannot exist yet"};
  return std::nullopt;
}

std::uint64_t Lattice::Engine::pending() const {
  std::uint64_t sum = 0;
  for (std::size_t t = 0; t < channels_.size(); ++t) {
    const std::uint32_t field = packing_.field_of(static_cast<ThreadNumber>(t));
    const Count used = field == Packing::kNoField ? settled_[t] : reach_[field];
    sum += channels_[t].early() + (channels_[t].arrived() - std::min(used, channels_[t].arrived()));
  }
  return sum;
}

// Whether some node of the level could let this thread take an event that has not arrived.
bool Lattice::Engine::needs(ThreadNumber thread) const {
  const Channel& channel = channels_[thread];
  if (channel.closed()) return false;
  const std::uint32_t field = packing_.field_of(thread);
  if (field != Packing::kNoField && reach_[field] < channel.arrived()) return false;
  const auto awaited = channel.waits_for();
  if (awaited && (*awaited >= channels_.size() || !channels_[*awaited].closed())) return false;
  const Level& level = walk_.level();
  for (const Part& part : level) {
    for (std::size_t node = 0; node < part.size(); ++node) {
      const std::uint64_t* record = level.record(part, node);
      if (count_of(record, thread) != channel.arrived()) continue;
      if (awaited && count_of(record, *awaited) < channels_[*awaited].arrived()) continue;
      return true;
    }
  }
  return false;
}

bool Lattice::Engine::ready() {
  if (blocked_ && channels_[blocker_].version() == blocker_version_ && !channels_[blocker_].waits_for()) return false;
  blocked_ = false;
  for (ThreadNumber t = 0; t < channels_.size(); ++t) {
    if (!needs(t)) continue;
    blocked_ = true;
    blocker_ = t;
    blocker_version_ = channels_[t].version();
    return false;
  }
  return true;
}

// New events get their place in the lanes; a new packing where the present one does not do.
void Lattice::Engine::prepare() {
  bool fits = true;
  for (ThreadNumber t = 0; t < channels_.size() && fits; ++t) {
    const std::uint32_t f = packing_.field_of(t);
    if (f == Packing::kNoField) fits = channels_[t].arrived() == settled_[t];
    else fits = std::min(reach_[f] + 1, channels_[t].arrived()) <= packing_.field(f).limit();
  }
  if (!fits) return pack();
  for (std::size_t f = 0; f < packing_.fields(); ++f) fill(packing_.field(f).thread, packing_.field(f));
}

// As much room as costs no further word, so that the next packing is not soon.
void Lattice::Engine::choose_fields(const std::vector<Count>& low, const std::vector<Count>& high) {
  constexpr Count kLeastRoom = 16, kMostRoom = 256;
  settled_ = low;
  packing_ = packing_with(kLeastRoom, low, high);
  for (Count room = 2 * kLeastRoom; room <= kMostRoom; room *= 2) {
    Packing wider = packing_with(room, low, high);
    if (wider.words() > packing_.words()) break;
    packing_ = std::move(wider);
  }
  reach_.clear();
  for (std::size_t f = 0; f < packing_.fields(); ++f) reach_.push_back(high[packing_.field(f).thread]);
}

Packing Lattice::Engine::packing_with(Count room, const std::vector<Count>& low, const std::vector<Count>& high) const {
  Packing out;
  out.clear();
  for (ThreadNumber t = 0; t < channels_.size(); ++t) {
    const Channel& channel = channels_[t];
    const Count spread = high[t] - low[t];
    if (spread == 0 && channel.arrived() == low[t]) continue;
    Count highest = high[t] + std::max(spread, room);
    if (channel.closed()) highest = std::min(highest, channel.arrived());
    out.add(t, low[t], highest);
  }
  return out;
}

// Fields for the threads that can still move, as narrow as the level's spread allows. Data that no
// cut can use is dropped with it.
void Lattice::Engine::pack() {
  Level& level = walk_.level();
  std::vector<Count> low(channels_.size(), ~Count{0}), high(channels_.size(), 0);
  std::vector<Count> counts; // of each node in turn, by thread
  counts.reserve(level.size() * channels_.size());
  for (const Part& part : level) {
    for (std::size_t node = 0; node < part.size(); ++node) {
      for (ThreadNumber t = 0; t < channels_.size(); ++t) {
        const Count count = count_of(level.record(part, node), t);
        counts.push_back(count);
        low[t] = std::min(low[t], count);
        high[t] = std::max(high[t], count);
      }
    }
  }
  choose_fields(low, high);
  Layout layout = level.layout;
  layout.cut_words = packing_.words();
  const Count* count = counts.data();
  for (Part& part : level) {
    ApartVector<std::uint64_t> records(part.size() * layout.words(), 0);
    for (std::size_t node = 0; node < part.size(); ++node, count += channels_.size()) {
      std::uint64_t* record = records.data() + node * layout.words();
      for (std::size_t f = 0; f < packing_.fields(); ++f)
        packing_.put(record, packing_.field(f), count[packing_.field(f).thread]);
      std::copy_n(level.record(part, node) + level.layout.cut_words, layout.state_words + layout.value_words,
                  record + layout.cut_words);
    }
    part.records = std::move(records);
  }
  level.layout = layout;
  level.look_again();
  const std::uint64_t kept = walk_.paths().levels() - walk_.paths().dropped();
  for (ThreadNumber t = 0; t < channels_.size(); ++t) {
    const Count used = std::min(low[t], observed_[t]);
    const bool shorten = options_.path_steps != 0 && used > kept;
    channels_[t].forget(used, shorten ? used - static_cast<Count>(kept) : 0);
  }
  lanes_.assign(packing_.fields(), {});
  for (std::size_t f = 0; f < packing_.fields(); ++f) {
    const Packing::Field& field = packing_.field(f);
    const Channel& channel = channels_[field.thread];
    const bool glued = field.base > channel.first() && channel.event(field.base - 1).glued;
    lanes_[f].behind_glued.push_back(glued ? 1 : 0);
    lane_filled_[field.thread] = field.base;
    fill(field.thread, field);
  }
}

void Lattice::Engine::fill(ThreadNumber thread, const Packing::Field& field) {
  const Channel& channel = channels_[thread];
  Lane& lane = lanes_[packing_.field_of(thread)];
  Count& filled = lane_filled_[thread];
  // Beyond the field's limit a new packing comes first.
  const Count last = std::min(channel.arrived(), field.limit());
  const std::size_t words = packing_.words();
  if (filled < last) lane.clocks.resize((last - field.base) * words);
  for (; filled < last; ++filled) {
    const Channel::Event& event = channel.event(filled);
    pack_clock(event, thread, field, lane.clocks.data() + (filled - field.base) * words);
    lane.names.push_back(event.name);
    lane.behind_glued.push_back(event.glued ? 1 : 0);
  }
  // The last event of a thread that has ended is glued to nothing.
  if (channel.closed() && filled == channel.arrived()) lane.behind_glued.back() = 0;
}

void Lattice::Engine::pack_clock(const Channel::Event& event, ThreadNumber thread, const Packing::Field& own,
                                 std::uint64_t* out) const {
  std::fill_n(out, packing_.words(), 0);
  bool out_of_reach = false;
  const auto components = event.clock->components();
  for (ThreadNumber t = 0; t < components.size(); ++t) {
    if (t == thread) continue;
    const std::uint32_t field = packing_.field_of(t);
    if (field != Packing::kNoField) packing_.put(out, packing_.field(field), components[t]);
    else out_of_reach = out_of_reach || t >= settled_.size() || components[t] > settled_[t];
  }
  if (out_of_reach) packing_.put(out, own, ~Count{0}); // it needs events that have not come: no cut covers this
}

// For how many of the next levels all events have arrived, as far as this can be seen without
// looking at nodes, and their cuts fit the packing. At least one: ready() and prepare() made sure
// of that.
std::uint64_t Lattice::Engine::levels_ahead() const {
  std::uint64_t levels = UINT64_MAX;
  for (ThreadNumber t = 0; t < channels_.size(); ++t) {
    const Channel& channel = channels_[t];
    const std::uint32_t f = packing_.field_of(t);
    const Count reach = f == Packing::kNoField ? settled_[t] : reach_[f];
    if (f != Packing::kNoField && channel.arrived() > packing_.field(f).limit())
      levels = std::min<std::uint64_t>(levels, packing_.field(f).limit() - reach);
    if (channel.closed()) continue;
    const auto awaited = channel.waits_for();
    // It has no event before the awaited thread's last one, which will not come during these
    // levels.
    if (awaited && (*awaited >= channels_.size() || !channels_[*awaited].closed())) continue;
    levels = std::min<std::uint64_t>(levels, channel.arrived() - reach);
  }
  return std::max<std::uint64_t>(levels, 1);
}

// The first field that some node may move within so many levels.
std::uint32_t Lattice::Engine::lead(std::uint64_t levels) const {
  const Level& level = walk_.level();
  const std::uint64_t* const low = level.record(level.part(0), 0);
  const Part& last = level.part(level.parts() - 1);
  const std::uint64_t* const high = level.record(last, last.size() - 1);
  std::uint32_t field = 0;
  for (; field + 1 < packing_.fields(); ++field) {
    // Records are sorted, so a field is the same in all of them if it and those in front of it are
    // in the first and last.
    const ThreadNumber thread = packing_.field(field).thread;
    const Count count = count_of(low, thread);
    if (count != count_of(high, thread)) break;
    if (count == channels_[thread].arrived()) continue;
    const auto clock = channels_[thread].event(count).clock->components();
    bool out_of_reach = false;
    for (ThreadNumber t = 0; t < clock.size() && !out_of_reach; ++t) {
      if (t == thread) continue;
      const std::uint32_t f = packing_.field_of(t);
      const std::uint64_t reach = f != Packing::kNoField ? reach_[f] + levels : t < settled_.size() ? settled_[t] : 0;
      out_of_reach = clock[t] > reach;
    }
    if (!out_of_reach) break;
  }
  return field;
}

// Of the observed run's next steps each is the one with the smallest position.
void Lattice::Engine::follow_observed(std::size_t levels) {
  ObservedRun& run = observed_run_;
  run.begin = {};
  for (std::size_t f = 0; f < packing_.fields(); ++f) run.begin.counts.push_back(observed_[packing_.field(f).thread]);
  run.steps.clear();
  observed_next_.clear();
  for (std::size_t k = 0; k < levels; ++k) {
    const auto nobody = static_cast<ThreadNumber>(channels_.size());
    ThreadNumber next = nobody;
    for (ThreadNumber t = 0; t < channels_.size(); ++t) {
      if (observed_[t] >= channels_[t].arrived()) continue;
      if (next == nobody || channels_[t].event(observed_[t]).position < channels_[next].event(observed_[next]).position)
        next = t;
    }
    const std::uint32_t field = next == nobody ? Packing::kNoField : packing_.field_of(next);
    run.steps.push_back({field, next != nobody && field == Packing::kNoField});
    observed_next_.push_back(next);
    if (next != nobody) ++observed_[next];
  }
}

// The next level, or the next few. Says how many.
std::uint64_t Lattice::Engine::expand(std::uint64_t most) {
  prepare();
  const std::size_t levels = walk_.levels_at_once(std::min(most, levels_ahead()));
  follow_observed(levels);
  const std::uint32_t first = levels == 1 ? 0 : lead(levels);
  std::size_t made = 0;
  switch (packing_.words()) {
  case 1: made = walk_.expand(ClockStepper<1>(packing_, lanes_, any_glued_), observed_run_, first, *this); break;
  case 2: made = walk_.expand(ClockStepper<2>(packing_, lanes_, any_glued_), observed_run_, first, *this); break;
  default: made = walk_.expand(ClockStepper<0>(packing_, lanes_, any_glued_), observed_run_, first, *this); break;
  }
  for (std::size_t k = made; k < levels; ++k)
    if (observed_next_[k] < observed_.size()) --observed_[observed_next_[k]];
  for (std::size_t f = 0; f < packing_.fields(); ++f)
    reach_[f] = std::min(reach_[f] + static_cast<Count>(made), channels_[packing_.field(f).thread].arrived());
  return made;
}

bool Lattice::Engine::advance(std::uint64_t levels) {
  bool moved = false;
  if (!walk_.over()) walk_.result().end = End::Waiting;
  while (levels > 0 && !walk_.over()) {
    if (!ready()) break;
    levels -= expand(levels);
    moved = true;
  }
  return moved;
}

std::optional<std::set<std::uint32_t>> Lattice::Engine::look_ahead(std::size_t most) {
  const Level& level = walk_.level();
  const std::size_t values_at = level.layout.cut_words + level.layout.state_words;
  LookAhead::Nodes nodes;
  if (level.size() > most) return std::nullopt;
  for (const Part& part : level) {
    for (std::size_t node = 0; node < part.size(); ++node) {
      const std::uint64_t* record = level.record(part, node);
      nodes.emplace(unpack(record),
                    LookAhead::Node{{record + values_at, record + level.layout.words()}, part.infos[node].set});
    }
  }
  return LookAhead(channels_, walk_.sets()).behind(std::move(nodes), most);
}

Lattice::Lattice(const MonitorSet& monitors, const Options& options)
    : engine_(std::make_unique<Engine>(monitors, options)) {}
Lattice::~Lattice() = default;
std::optional<Error> Lattice::add(const Message& message) { return engine_->add(message); }
void Lattice::finish() { engine_->finish(); }
bool Lattice::advance(std::uint64_t levels) { return engine_->advance(levels); }
std::optional<std::set<std::uint32_t>> Lattice::look_ahead(std::size_t most) { return engine_->look_ahead(most); }
const Exploration& Lattice::result() const { return engine_->result(); }
std::uint64_t Lattice::pending() const { return engine_->pending(); }
bool Lattice::input_complete() const { return engine_->input_complete(); }
std::uint64_t Lattice::unreached() const { return engine_->unreached(); }
Count Lattice::forgotten(ThreadNumber thread) const { return engine_->forgotten(thread); }
std::uint64_t Lattice::bytes() const { return engine_->bytes(); }

} // namespace sooth::explore
