#include "trace/pieces.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "trace/kind_groups.h"
#include "trace/lost.h"
#include "trace/restore/decode_ahead.h"
#include "trace/restore/gaps.h"
#include "trace/restore/holds.h"
#include "trace/summary.h"

namespace sooth::trace {
namespace {

constexpr std::uint64_t kBetweenQuestions = 1 << 16; // events of the survey
// A beginning of the trace, where there was no time to survey all of it.
constexpr std::uint64_t kShorter = 4;            // of what was surveyed by then, one part in so many ...
constexpr std::uint64_t kFewest = 1000;          // ... but not fewer slots
constexpr std::uint64_t kMostExpected = 1 << 24; // events, behind a sieve
constexpr std::uint64_t kMostNumbers = std::numeric_limits<std::uint32_t>::max(); // of events, in findings

bool describes_threads(EventKind kind) {
  return object_of(kind) == ObjectKind::Thread || kind == EventKind::ThreadName;
}

bool stays_with_next(const Event& e) {
  if (e.kind == EventKind::ExternalWrite) return true; // it gives the next event the value that it saw
  return (e.kind == EventKind::Read || e.kind == EventKind::Write) && e.has(kGlued);
}

// Counts writes whose last values are still in the thread's own memory (docs/trace_format.md). They
// are lost if the program was killed.
void count_pending(const std::vector<Chunk>& chunks, DecodeContext& context) {
  for (const Chunk& chunk : chunks)
    if (chunk.header.type == static_cast<std::uint32_t>(ChunkType::Live) && chunk.header.state != 0)
      context.count(Defect::PendingMerged, chunk.header.reserved);
}

// The first page says how much of the file was allotted to chunks. A file that is shorter was cut,
// or its program was stopped before it wrote the last chunks.
void check_end(const FileHeader& header, std::uint64_t file_bytes, Trace& trace) {
  if (header.file_end <= file_bytes) return;
  const std::uint64_t lost = header.file_end - file_bytes;
  trace.notes.push_back("the file ends at offset " + hexadecimal(file_bytes) + ", " + std::to_string(lost) +
                        " bytes before its last chunk does" +
                        (trace.process.end == EndKind::Running ? "; the program was running or was stopped" : ""));
  trace.defects[static_cast<unsigned>(Defect::DamagedBytes)] += lost;
}

// Copies the event's contents from one Trace::bytes into another.
void take_contents(const std::vector<std::uint8_t>& from, Event& e, std::vector<std::uint8_t>& to) {
  if (!e.has(kPayload) || !is_access(e.kind)) return;
  const std::uint64_t size = e.kind == EventKind::AtomicRmw ? 2 * std::uint64_t{e.size} : e.size;
  if (e.extra > from.size() || from.size() - e.extra < size) return; // made by hand; it will point outside of `to`, too
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(e.extra);
  e.extra = to.size();
  to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(size));
}

} // namespace

std::size_t last_boundary(const std::vector<Event>& events, std::size_t threads, std::size_t most) {
  most = std::min(most, events.size());
  std::size_t end = 0;
  std::vector<std::uint8_t> inside(threads, 0);
  std::size_t open = 0;
  for (std::size_t i = 0; i < most; ++i) {
    const Event& e = events[i];
    const std::uint8_t glued = stays_with_next(e) ? 1 : 0;
    open = open + glued - inside[e.thread];
    inside[e.thread] = glued;
    if (open == 0) end = i + 1;
  }
  return end;
}

Pieces::Complaints::Complaints(const Trace& trace) : notes(trace.notes) {
  std::copy(std::begin(trace.defects), std::end(trace.defects), defects);
}

void Pieces::Complaints::put_back(Trace& trace) const {
  trace.notes = notes;
  std::copy(std::begin(defects), std::end(defects), trace.defects);
}

Pieces::Pieces(const FileHeader& header, ScanResult scan, std::unique_ptr<TraceBytes> file, const ReadOptions& options)
    : file_(std::move(file)), scan_(std::move(scan)), options_(options), moves_(scan_.chunks) {
  read_file_header(header, program_);
  program_.file_bytes = file_->size();
  check_end(header, file_->size(), program_);
  read_metadata(scan_.chunks, program_, sites_);
  program_.notes.insert(program_.notes.end(), scan_.notes.begin(), scan_.notes.end());
  program_.defects[static_cast<unsigned>(Defect::DamagedChunks)] += scan_.damaged_chunks;
  program_.defects[static_cast<unsigned>(Defect::DamagedBytes)] += scan_.damaged_bytes;
  of_file_.emplace(program_);
  find_last_number(header);
  end_of_file_ = last_number_;
  if (options_.sieve != nullptr && !survey()) options_.sieve = nullptr;
  if (enough_) open_threads();
  else begin();
}

void Pieces::begin_decoding() {
  context_.emplace(DecodeContext{program_, sites_, *file_, {}, {}, {}});
  context_->malformed = moves_.malformed();
  context_->ends_there = is_beginning_;
  if (!moves_.empty()) context_->moves = &moves_;
}

// A file that lacks events of some thread ends where they begin to lack (restore/gaps.h).
void Pieces::find_last_number(const FileHeader& header) {
  // A frozen trace also counts what its original lacked.
  const bool incomplete =
      program_.defect(Defect::DamagedBytes) != header.defects[static_cast<unsigned>(Defect::DamagedBytes)];
  begin_decoding();
  context_->contents = false;
  open_streams();
  const auto is_whole = [](const EventStream& stream) { return stream.is_whole(); };
  if (!incomplete && std::ranges::all_of(streams_, is_whole)) return;
  last_number_ = last_number_before_a_gap(streams_, scan_.chunks, incomplete, header.threads);
  of_file_->put_back(program_);
}

// The sieve's first pass; false if the trace must be kept whole. If it takes too long, only a
// beginning of the trace is surveyed, and read: it is a trace of its own (restore/gaps.h).
bool Pieces::survey() {
  while (options_.sieve->begin(program_)) {
    if (survey_once()) return true;
    options_.sieve = options_.again ? options_.again() : nullptr;
    if (options_.sieve == nullptr) {
      give_up();
      return true;
    }
    of_file_->put_back(program_);
    thread_events_.clear();
    if (!shorten()) return false;
  }
  return false;
}

// False: it was stopped.
bool Pieces::survey_once() {
  begin_decoding();
  context_->contents = false;
  context_->last_number = last_number_;
  count_pending(scan_.chunks, *context_);
  const std::uint64_t bound = open_streams();
  std::uint64_t seen = 0;
  {
    DecodeAhead decoder(streams_, bound);
    for (std::vector<StampedEvent> events; decoder.next(events);)
      for (const StampedEvent& next : events) {
        options_.sieve->survey(next.event);
        if (describes_threads(next.event.kind)) thread_events_.push_back(next);
        if (++seen % kBetweenQuestions == 0 && options_.stop && options_.stop()) return false;
      }
  }
  options_.sieve->surveyed();
  handed_over_ = options_.sieve->handed_over();
  program_.defects[static_cast<unsigned>(Defect::HandedOver)] += handed_over_;
  count_malformed(program_);
  of_events_.emplace(program_);
  enough_ = options_.enough && lost_events(program_) == 0 && options_.enough();
  program_.events_settled = enough_ ? seen - thread_events_.size() : 0;
  program_.events_recorded = enough_ ? seen : 0;
  return true;
}

// Ends the trace where less is to be surveyed than was possible. False: nothing would be left, so
// all of it is read as far as possible, without a sieve.
bool Pieces::shorten() {
  for (std::uint64_t slots = context_->slots_read / kShorter; slots >= kFewest; slots /= kShorter) {
    const std::uint64_t number = number_behind(slots);
    if (number >= last_number_) continue;
    last_number_ = number;
    return is_beginning_ = true;
  }
  last_number_ = end_of_file_;
  return is_beginning_ = false;
}

// The number that the run had come to when it had recorded roughly so many slots: its chunks stand
// in the file as they became full. A frozen trace is numbered by position.
std::uint64_t Pieces::number_behind(std::uint64_t slots) {
  if ((program_.flags & kFrozen) != 0) return slots;
  begin_decoding();
  std::uint64_t before = 0;
  for (const Chunk& chunk : scan_.chunks) {
    if (static_cast<ChunkType>(chunk.header.type) != ChunkType::Events) continue;
    before += chunk.header.count;
    if (before >= slots) return EventStream::last_number_in(chunk, *context_);
  }
  return kNoEnd;
}

double Pieces::part_read() const {
  if (slots_ == 0 || !context_) return 1;
  return std::min(1.0, static_cast<double>(context_->slots_read) / static_cast<double>(slots_));
}

// Whether reading has to end. Once true, it stays true.
bool Pieces::stopped() {
  if (options_.stop && options_.stop()) give_up();
  return gave_up_;
}

void Pieces::give_up() {
  gave_up_ = true;
  if (options_.stopped != nullptr) *options_.stopped = true;
}

void Pieces::begin() {
  of_file_->put_back(program_);
  program_.bytes.clear();
  program_.events_recorded = program_.events_sieved = 0;
  begin_decoding();
  context_->sieve = options_.sieve;
  program_.sieved_stores.clear();
  if (options_.sieve != nullptr) options_.sieve->values().begin(program_);
  program_.defects[static_cast<unsigned>(Defect::HandedOver)] += handed_over_;
  context_->last_number = last_number_;
  count_pending(scan_.chunks, *context_);
  // The bound comes from checked headers, so it is at most a fixed multiple of the file's size.
  const std::uint64_t bound = open_streams();
  // Memory that is not used in the end is never touched.
  const std::size_t expected = options_.sieve == nullptr ? bound : std::min(bound, kMostExpected);
  open_threads();
  order_ = (program_.flags & kFrozen) != 0 ? frozen_order(streams_, program_, options_.sieve, expected)
                                           : restored_order(streams_, program_, options_.sieve, expected);
  standing_.emplace(program_);
  waiting_.clear();
  carried_.clear();
  number_ = 0;
  over_ = false;
}

void Pieces::open_threads() {
  if (!streams_.empty() && streams_.back().thread() >= program_.threads.size())
    program_.threads.resize(streams_.back().thread() + 1);
  if ((program_.flags & kFrozen) == 0)
    for (std::uint32_t i = 0; i < program_.threads.size(); ++i) program_.threads[i] = {{}, i};
}

// Opens the threads' streams, ascending. Returns an upper bound of the number of events.
std::uint64_t Pieces::open_streams() {
  std::map<std::uint32_t, EventStream> by_thread;
  for (const Chunk& chunk : scan_.chunks) {
    const auto type = static_cast<ChunkType>(chunk.header.type);
    if (type != ChunkType::Events && type != ChunkType::Live) continue;
    by_thread.try_emplace(chunk.header.thread, chunk.header.thread, *context_).first->second.add_piece(chunk);
  }
  streams_.clear();
  std::uint64_t bound = 0;
  for (auto& [thread, stream] : by_thread) {
    bound += stream.start();
    streams_.push_back(std::move(stream));
  }
  slots_ = bound;
  return bound;
}

Pieces::Got Pieces::next(std::size_t most, std::size_t overlap, Trace& piece) {
  if (over_) return Got::Nothing;
  if (options_.sieve == nullptr) most = std::numeric_limits<std::size_t>::max();
  const bool first = number_ == 0 && carried_.empty();
  const std::function<bool()> stop = [&] { return stopped(); };
  if (!first && kMostNumbers - number_ < most) { // a finding's event numbers have 32 bits
    give_up();
    over_ = true;
    return Got::Nothing;
  }
  if (enough_) { // their counters are exact
    over_ = true;
    std::vector<std::pair<std::uint64_t, std::size_t>> order; // counter, place
    for (std::size_t i = 0; i < thread_events_.size(); ++i) order.emplace_back(thread_events_[i].counter, i);
    std::ranges::sort(order);
    std::vector<Event> events;
    for (const auto& [counter, place] : order) events.push_back(thread_events_[place].event);
    piece = whole(std::move(events));
    return Got::Piece;
  }
  if (gave_up_) { // the survey did not finish, so the sieve cannot decide
    over_ = true;
    piece = whole({});
    return Got::Piece;
  }
  std::vector<Event> events;
  for (;;) {
    events = std::exchange(carried_, {});
    std::vector<Event> fresh = order_->next(most - std::min(most, events.size()), stop);
    over_ = order_->is_over();
    if ((program_.flags & kFrozen) == 0) put_requests_last(fresh, over_);
    if (events.empty()) events = std::move(fresh);
    else events.insert(events.end(), fresh.begin(), fresh.end());
    if (options_.sieve == nullptr || !options_.sieve->wants_another_pass()) break;
    begin();
    if (!first) return Got::BeginAgain;
  }
  if (first && over_) {
    piece = whole(std::move(events));
    return Got::Piece;
  }
  const std::size_t threads = program_.threads.size();
  std::size_t end = over_ ? events.size() : last_boundary(events, threads, events.size());
  if (end == 0) end = events.size();
  piece = part(events, end, over_);
  if (over_) return Got::Piece;
  const std::size_t from = last_boundary(events, threads, end - std::min(overlap, end / 2));
  carry_on(std::move(events), from == 0 ? end : from);
  return Got::Piece;
}

// A request changes nothing, so it may stand anywhere before its thread's next event. It stands as
// late as possible: behind all other events, in the order of threads, or where the handler of a
// signal begins that interrupted the wait.
void Pieces::put_requests_last(std::vector<Event>& events, bool last) {
  std::vector<Event> out;
  const auto is_request = [](const Event& e) { return e.kind == EventKind::Request; };
  if (!waiting_.empty() || std::ranges::any_of(events, is_request)) {
    out.reserve(events.size());
    for (const Event& e : events) {
      if (is_request(e)) {
        waiting_[e.thread] = e;
        continue;
      }
      if (const auto it = waiting_.find(e.thread); it != waiting_.end()) {
        out.push_back(it->second);
        waiting_.erase(it);
      }
      out.push_back(e);
    }
    events = std::move(out);
  }
  if (!last) return;
  // If the trace ends before the run did, nobody knows whether they were granted.
  const bool ends_early = last_number_ != kNoEnd || program_.defect(Defect::WriteErrors) != 0;
  for (const auto& [thread, request] : waiting_)
    if (!ends_early) events.push_back(request);
  waiting_.clear();
}

Trace Pieces::whole(std::vector<Event> events) {
  if (!enough_) count_malformed(program_);
  Trace out = std::move(program_);
  out.events = std::move(events);
  if ((out.flags & kFrozen) == 0) follow_threads(out.events, out);
  finish(out, true);
  return out;
}

Trace Pieces::part(const std::vector<Event>& events, std::size_t end, bool last) {
  std::vector<std::uint8_t> bytes = std::exchange(program_.bytes, {});
  if ((program_.flags & kFrozen) == 0) follow_threads({events.data(), end}, program_);
  Trace out = program_;
  program_.bytes = std::move(bytes);
  of_events_->put_back(out);
  const std::vector<Event> own(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(end));
  for (const Standing::Entry& entry : standing_->before(own)) {
    out.events.push_back(entry.event);
    out.numbers.push_back(entry.number);
  }
  out.is_piece = true;
  out.standing = static_cast<std::uint32_t>(out.events.size());
  out.first_number = number_;
  out.events.insert(out.events.end(), own.begin(), own.end());
  for (Event& e : out.events) take_contents(program_.bytes, e, out.bytes);
  for (std::uint32_t i = 0; i < out.threads.size(); ++i)
    out.threads[i].leaves_its_stack = standing_->leaves_its_stack(i);
  if (number_ != 0) { // the first read of a byte defines its value
    out.initial.clear();
    out.initial_known = false;
    out.notes.clear();
  }
  out.defects[static_cast<unsigned>(Defect::ExternalWrites)] += static_cast<std::uint64_t>(
      std::ranges::count_if(own, [](const Event& e) { return e.kind == EventKind::ExternalWrite; }));
  finish(out, last);
  return out;
}

// The events from `from` on begin the next piece. Those before them go into the standing state.
void Pieces::carry_on(std::vector<Event> events, std::size_t from) {
  for (std::size_t i = 0; i < from; ++i) standing_->see(events[i], number_ + i);
  number_ += from;
  carried_.assign(events.begin() + static_cast<std::ptrdiff_t>(from), events.end());
  std::vector<std::uint8_t> kept;
  for (Event& e : carried_) take_contents(program_.bytes, e, kept);
  order_->each_waiting([&](Event& e) { take_contents(program_.bytes, e, kept); });
  program_.bytes = std::move(kept);
}

// Counts open threads, spurious wakes and broken holds. A frozen trace already has these counts.
void Pieces::finish(Trace& piece, bool last) const {
  if ((piece.flags & kFrozen) != 0) return;
  if (last) count_open_threads(piece);
  count_spurious_wakes(piece);
  if (options_.check_holds) count_broken_holds(piece);
}

// Counts events that are in the file and not in the trace.
void Pieces::count_malformed(Trace& trace) const {
  if (context_->behind_last != 0) {
    trace.defects[static_cast<unsigned>(Defect::EventsBehindEnd)] += context_->behind_last;
    trace.notes.push_back(std::to_string(context_->behind_last) +
                          " events of other threads are left out, because they may come after the lost ones");
  }
  if (context_->malformed == 0) return;
  trace.defects[static_cast<unsigned>(Defect::MissingEvents)] += context_->malformed;
  trace.notes.push_back(std::to_string(context_->malformed) + " events mean nothing to this version and were left out");
}

} // namespace sooth::trace
