#include "trace/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>

#include "trace/chunk_scan.h"
#include "trace/event_stream.h"
#include "trace/holds.h"
#include "trace/metadata.h"
#include "trace/restore.h"
#include "trace/summary.h"

namespace sooth::trace {
namespace {

class File {
public:
  explicit File(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  bool status(struct stat& out) const { return fstat(descriptor_, &out) == 0; }
  // Reads up to `size` bytes; fewer only at the end of the file. Negative: errno says why.
  std::int64_t read_at(std::uint8_t* out, std::size_t size, std::uint64_t offset) const {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t n = pread(descriptor_, out + done, size - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return -1;
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return static_cast<std::int64_t>(done);
  }

private:
  int descriptor_;
};

Error system_error(const std::string& path, const std::string& what) {
  return {what + ": " + std::strerror(errno), path};
}

// A running program may have changed a Live buffer while it was copied, so that a slot is finished in the copy but its
// first words are old. A slot that was finished then is whole now: such slots are copied again, and only these are used.
void settle_live_buffers(const File& file, std::vector<std::uint8_t>& bytes, const std::vector<Chunk>& chunks) {
  for (const Chunk& chunk : chunks) {
    if (chunk.header.type != static_cast<std::uint32_t>(ChunkType::Live)) continue;
    const std::size_t finished = finished_slots(chunk.body) * sizeof(RawEvent);
    std::vector<std::uint8_t> again(sizeof(ChunkHeader) + finished);
    ChunkHeader now;
    if (file.read_at(again.data(), again.size(), chunk.offset) != static_cast<std::int64_t>(again.size())) continue;
    std::memcpy(&now, again.data(), sizeof now);
    std::uint8_t* body = bytes.data() + chunk.offset + sizeof now;
    // Written out in the meantime: then the buffer holds other events now, and its copy cannot be made sure of.
    const bool same = now.first_slot == chunk.header.first_slot && now.thread == chunk.header.thread &&
                      now.state == chunk.header.state;
    if (same) std::memcpy(body, again.data() + sizeof now, finished);
    if (finished < chunk.body.size()) std::memset(body + finished, 0, chunk.body.size() - finished);
  }
}

Result<FileHeader> check_header(std::span<const std::uint8_t> file) {
  FileHeader header;
  if (file.size() < sizeof header.magic)
    return Error{"this is not a Sooth trace: it has only " + std::to_string(file.size()) + " bytes"};
  std::memcpy(&header.magic, file.data(), sizeof header.magic);
  if (header.magic != kFileMagic) return Error{"this is not a Sooth trace: it does not begin as one"};
  if (file.size() < sizeof header)
    return Error{"this Sooth trace ends inside its first page, at offset " + hexadecimal(file.size())};
  std::memcpy(&header, file.data(), sizeof header);
  if (header.version != kFormatVersion) {
    return Error{"this Sooth trace has format version " + std::to_string(header.version) +
                 "; this program reads version " + std::to_string(kFormatVersion)};
  }
  return header;
}

// The first page tells how much of the file was given to chunks. A file that is shorter was cut, or its program was stopped
// before it had written the last ones.
void check_end(const FileHeader& header, std::uint64_t file_bytes, Trace& trace) {
  if (header.file_end <= file_bytes) return;
  const std::uint64_t lost = header.file_end - file_bytes;
  trace.notes.push_back("the file ends at offset " + hexadecimal(file_bytes) + ", " + std::to_string(lost) +
                        " bytes before its last chunk does" +
                        (trace.process.end == EndKind::Running ? "; the program was running or was stopped" : ""));
  trace.defects[static_cast<unsigned>(Defect::DamagedBytes)] += lost;
}

// A request changes nothing, so it may stand anywhere before its thread's next event, and stands as late as it can: behind all
// other events, in the order of threads, or where the handler of a signal begins that has interrupted the wait.
void put_requests_last(Trace& trace) {
  std::map<std::uint32_t, Event> waiting; // by thread
  std::size_t to = 0;                     // never in front of where it is read: each request leaves a place behind
  for (std::size_t from = 0; from < trace.events.size(); ++from) {
    const Event e = trace.events[from];
    if (e.kind == EventKind::Request) {
      waiting[e.thread] = e;
      continue;
    }
    if (const auto it = waiting.empty() ? waiting.end() : waiting.find(e.thread); it != waiting.end()) {
      trace.events[to++] = it->second;
      waiting.erase(it);
    }
    trace.events[to++] = e;
  }
  trace.events.resize(to);
  for (const auto& [thread, request] : waiting) trace.events.push_back(request);
}

// The streams of the threads, ascending; `bound`: so many events at most.
std::vector<EventStream> open_streams(const std::vector<Chunk>& chunks, DecodeContext& context, std::uint64_t& bound) {
  std::map<std::uint32_t, EventStream> by_thread;
  for (const Chunk& chunk : chunks) {
    const auto type = static_cast<ChunkType>(chunk.header.type);
    if (type != ChunkType::Events && type != ChunkType::Live) continue;
    by_thread.try_emplace(chunk.header.thread, chunk.header.thread, context).first->second.add_piece(chunk);
  }
  std::vector<EventStream> streams;
  for (auto& [thread, stream] : by_thread) {
    bound += stream.start();
    streams.push_back(std::move(stream));
  }
  return streams;
}

// Writes whose last values are still in the thread's own memory (docs/trace_format.md): lost, if it was killed.
void count_pending(const std::vector<Chunk>& chunks, DecodeContext& context) {
  for (const Chunk& chunk : chunks)
    if (chunk.header.type == static_cast<std::uint32_t>(ChunkType::Live) && chunk.header.state != 0)
      context.count(Defect::PendingMerged, chunk.header.reserved);
}

// What is known to be wrong with a file, so that a pass over its events can be made again.
class Complaints {
public:
  explicit Complaints(const Trace& trace) : notes_(trace.notes) {
    std::copy(std::begin(trace.defects), std::end(trace.defects), defects_);
  }
  void put_back(Trace& trace) const {
    trace.notes = notes_;
    std::copy(std::begin(defects_), std::end(defects_), trace.defects);
  }

private:
  std::vector<std::string> notes_;
  std::uint64_t defects_[kDefectSlots];
};

// The sieve's first pass; false if it wants none. What is found to be wrong with the file is told by the second one.
bool survey(const std::vector<Chunk>& chunks, const SiteMap& sites, Sieve& sieve, Trace& trace) {
  if (!sieve.begin(trace)) return false;
  const Complaints before(trace);
  DecodeContext context{trace, sites, {}, {}};
  context.contents = false;
  std::uint64_t bound = 0;
  for (EventStream& stream : open_streams(chunks, context, bound))
    while (const StampedEvent* next = stream.peek()) {
      sieve.survey(next->event);
      stream.pop();
    }
  sieve.surveyed();
  before.put_back(trace);
  return true;
}

void make_events(const std::vector<Chunk>& chunks, const SiteMap& sites, const ReadOptions& options, Trace& trace) {
  DecodeContext context{trace, sites, {}, {}};
  context.sieve = options.sieve;
  count_pending(chunks, context);
  std::uint64_t bound = 0;
  std::vector<EventStream> streams = open_streams(chunks, context, bound);
  // The bound comes from checked headers, so it is at most a fixed multiple of the file's size.
  if (options.sieve == nullptr) trace.events.reserve(bound);
  const std::function<bool()> stop = [&] {
    if (!options.stop || !options.stop()) return false;
    if (options.stopped != nullptr) *options.stopped = true;
    return true;
  };
  if (trace.flags & kFrozen) {
    merge_frozen(streams, trace, stop, options.sieve);
  } else {
    restore_order(streams, trace, stop, options.sieve);
    put_requests_last(trace);
  }
  if (!streams.empty() && streams.back().thread() >= trace.threads.size())
    trace.threads.resize(streams.back().thread() + 1);
  if (context.malformed != 0) {
    context.count(Defect::MissingEvents, context.malformed);
    trace.notes.push_back(std::to_string(context.malformed) + " events mean nothing to this version and were left out");
  }
}

// With a sieve, until it has kept enough.
void make_sieved_events(const std::vector<Chunk>& chunks, const SiteMap& sites, const ReadOptions& options,
                        Trace& trace) {
  if (options.sieve == nullptr || !survey(chunks, sites, *options.sieve, trace)) {
    ReadOptions unsieved = options;
    unsieved.sieve = nullptr;
    return make_events(chunks, sites, unsieved, trace);
  }
  const Complaints before(trace);
  for (;;) {
    make_events(chunks, sites, options, trace);
    if (!options.sieve->wants_another_pass()) return;
    trace.events.clear();
    trace.bytes.clear();
    trace.events_sieved = trace.events_recorded = 0;
    before.put_back(trace);
  }
}

Trace make_trace(const FileHeader& header, ScanResult scan, std::uint64_t file_bytes, const ReadOptions& options) {
  Trace trace;
  SiteMap sites;
  read_file_header(header, trace);
  trace.file_bytes = file_bytes;
  check_end(header, file_bytes, trace);
  read_metadata(scan.chunks, trace, sites);
  trace.notes.insert(trace.notes.end(), scan.notes.begin(), scan.notes.end());
  trace.defects[static_cast<unsigned>(Defect::DamagedChunks)] += scan.damaged_chunks;
  trace.defects[static_cast<unsigned>(Defect::DamagedBytes)] += scan.damaged_bytes;
  make_sieved_events(scan.chunks, sites, options, trace);
  if (!(trace.flags & kFrozen)) { // a frozen trace says of itself what follows here
    summarise_threads(trace);
    count_spurious_wakes(trace);
    if (options.check_holds) count_broken_holds(trace);
  }
  return trace;
}

} // namespace

Result<Trace> read_trace(const std::string& path, const ReadOptions& options) {
  const File file(path);
  if (!file.is_open()) return system_error(path, "cannot open");
  struct stat status = {};
  if (!file.status(status)) return system_error(path, "cannot look at");
  if (!S_ISREG(status.st_mode)) return Error{"this is not a file", path};
  // A copy, not a mapping: a mapped file that gets shorter kills whoever reads it.
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(status.st_size));
  const std::int64_t size = file.read_at(bytes.data(), bytes.size(), 0);
  if (size < 0) return system_error(path, "cannot read");
  bytes.resize(static_cast<std::size_t>(size));
  Result<FileHeader> header = check_header(bytes);
  if (!header) return Error{header.error().message, path};
  ScanResult scan = scan_chunks(bytes);
  settle_live_buffers(file, bytes, scan.chunks);
  return make_trace(*header, std::move(scan), bytes.size(), options);
}

Result<Trace> read_trace_bytes(std::span<const std::uint8_t> file, const ReadOptions& options) {
  Result<FileHeader> header = check_header(file);
  if (!header) return header.error();
  return make_trace(*header, scan_chunks(file), file.size(), options);
}

} // namespace sooth::trace
