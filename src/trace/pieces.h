// A trace file, a piece at a time: all of it if it is short, else pieces that overlap.
//
//     events    0 ........ 1M ........ 2M ........ 3M
//     pieces    [---------------)
//                         [---------------)              each begins with the state that it finds
//                                     [------...         there (standing.h)
//
// A run of a piece, behind the events recorded before it, is a run of the trace. So every finding
// in a piece is true. A finding about events further apart than the length of a piece is missed.
// Cost: the time of read_trace; the file is read once for each pass. Memory for one piece, for the
//   standing events, and for the values of memory that is kept (restore.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "trace/file/chunk_scan.h"
#include "trace/file/event_stream.h"
#include "trace/file/metadata.h"
#include "trace/reader.h"
#include "trace/restore/restore.h"
#include "trace/restore/standing.h"
#include "trace/trace.h"

namespace sooth::trace {

// The last place up to `most` at which no thread is inside a glued block.
std::size_t last_boundary(const std::vector<Event>& events, std::size_t threads, std::size_t most);

class Pieces {
public:
  // `scan`: of this file.
  Pieces(const FileHeader& header, ScanResult scan, std::unique_ptr<TraceBytes> file, const ReadOptions& options);

  enum class Got {
    Piece,
    Nothing,    // the last piece was handed out before
    BeginAgain, // the sieve left out too much. Forget all pieces: the next one is the first one again
  };
  // A piece of at most `most` events behind the standing ones. It begins with the last `overlap`
  // events of the piece before. Without a sieve the first piece is the whole trace.
  Got next(std::size_t most, std::size_t overlap, Trace& piece);
  // The last piece handed out is the end of the trace, or of the beginning that is read.
  bool is_over() const { return over_; }
  // There was no time for the sieve's first pass over all of the trace. Only a beginning is read.
  bool is_beginning() const { return is_beginning_; }
  // Of the events in the file, so much has been read: 1 is all.
  double part_read() const;

private:
  // Known problems of the file.
  struct Complaints {
    std::vector<std::string> notes;
    std::uint64_t defects[kDefectSlots] = {};
    explicit Complaints(const Trace& trace);
    void put_back(Trace& trace) const;
  };

  void find_last_number(const FileHeader& header);
  void begin_decoding();
  bool survey();
  bool survey_once();
  bool shorten();
  std::uint64_t number_behind(std::uint64_t slots);
  void open_threads();
  bool stopped();
  void give_up();
  void begin();
  std::uint64_t open_streams();
  void put_requests_last(std::vector<Event>& events, bool last);
  Trace whole(std::vector<Event> events);
  Trace part(const std::vector<Event>& events, std::size_t end, bool last);
  void carry_on(std::vector<Event> events, std::size_t from);
  void finish(Trace& piece, bool last) const;
  void count_malformed(Trace& trace) const;

  const std::unique_ptr<TraceBytes> file_;
  const ScanResult scan_;
  ReadOptions options_;
  Trace program_; // the parts that do not grow with the run, and Trace::bytes of events still to be handed out
  SiteMap sites_;
  const Moves moves_;
  std::optional<Complaints> of_file_, of_events_; // of the events: only after a survey
  std::optional<DecodeContext> context_;
  std::uint64_t handed_over_ = 0;      // ends of ownership that bound the answer: only after a survey
  std::uint64_t last_number_ = kNoEnd; // of the events that are read
  std::uint64_t end_of_file_ = kNoEnd; // the same, of all that can be read
  std::uint64_t slots_ = 0;            // in the file, at most
  std::vector<EventStream> streams_;
  std::unique_ptr<Order> order_;
  std::optional<Standing> standing_;
  std::map<std::uint32_t, Event> waiting_; // by thread: requests not granted so far
  std::vector<Event> carried_;             // the beginning of the next piece
  std::uint64_t number_ = 0;               // of its first event
  bool over_ = false, gave_up_ = false, is_beginning_ = false;
  bool enough_ = false;                     // the survey was enough
  std::vector<StampedEvent> thread_events_; // that it saw
};

} // namespace sooth::trace
