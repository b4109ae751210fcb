// One observed program: everything the observer knows of it, and its answers. No sockets here:
// messages in, messages out, so that tests and fuzzers can send anything in any order.
//
//     Hello, Module, Symbols  ->  Table
//     Initial, Event, Event, Fork, ...      the lattice grows as far as the messages allow
//     Finish                                the verdict
//
// Question: does the program violate its property, in the observed run or in another one that its
//   clocks allow?
// Source: JMPaX online, sections 4 and 4.1 (the observer); the lattice is explore/lattice.h.
// Cost: that of the lattice, and memory for messages that came out of order.
// Gives up: at the limits of its options, at a checkpoint that says so, and when messages are
//   missing at the end; the report says so each time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "explore/exploration.h"
#include "logic/property.h"
#include "observe/epoch.h"
#include "observe/findings.h"
#include "observe/loops.h"
#include "observe/observed_run.h"
#include "observe/protocol.h"
#include "observe/symbols.h"
#include "report/report.h"

namespace sooth::observe {

struct ProgramOptions {
  std::string property_name; // what errors call the file; empty: there is none, and nothing is relevant
  std::string property_text;
  explore::Options lattice;
  std::uint64_t most_waiting = 1u << 20;             // messages that came too early
  std::uint64_t most_bytes = std::uint64_t{1} << 30; // of the lattice and its messages
};

// The observer's messages to the user while the program runs.
struct Speaker {
  std::function<void(const report::Report&)> finding; // a report with one finding
  std::function<void(const std::string&)> note;       // a sentence
};

class ObservedProgram {
public:
  ObservedProgram(const Hello& hello, const ProgramOptions& options, Speaker speaker);

  // A message that came on one of its channels. Answers for the same channel are added to
  // `answers`. After an error the channel must be closed: the message changed nothing, and its
  // contents are missing.
  std::optional<Error> take(const Message& message, std::vector<Message>& answers);
  // The lattice goes on with what has come, by at most so many levels. Whether there is more to do.
  bool advance(std::uint64_t levels = UINT64_MAX);
  // All channels are closed.
  void conclude();
  // Something is missing that only the caller can know of: the verdict says so. After `conclude`.
  void lack(const char* name, std::uint64_t count, const char* sentence) { add_gap(name, count, sentence, false); }

  const report::Report& report() const { return report_; }
  bool refused() const { return refused_.has_value(); } // the property does not fit the program
  const std::optional<Error>& refusal() const { return refused_; }
  const Hello& hello() const { return hello_; }
  std::uint64_t messages() const { return messages_; }
  bool stops() const { return stop_.has_value(); }
  // Whether it got as far as a program does that can be observed: it has sent its symbols.
  bool introduced() const { return table_sent_ || refused(); }
  // What the lattice and its messages take.
  std::uint64_t bytes() const;
  // Frees that memory; nothing more is predicted.
  void give_up_for_memory();

private:
  std::optional<Error> take_symbols(const SymbolsSent& message, std::vector<Message>& answers);
  std::optional<Error> take_initial(const InitialState& message);
  std::optional<Error> take_checkpoint(const CheckpointMessage& message);
  template <typename M>
  std::optional<Error> take_placed(const M& message);
  template <typename M>
  std::optional<Error> add(const M& message);
  bool hold(std::uint64_t bytes);
  std::optional<Error> take_waiting();

  void next_epochs();
  void finish_epoch();
  void look_at_violations();
  void look_ahead();
  void found(std::size_t monitor, FoundRun run);
  void forget_prediction(const std::string& property);
  void tell(const FoundRun& run);
  void act(const logic::Property& property);
  void answer(const AskMessage& ask, std::vector<Message>& answers);
  void add_gap(const char* name, std::uint64_t count, const char* sentence, bool complete);

  Hello hello_;
  ProgramOptions options_;
  Speaker speaker_;
  ProgramSymbols symbols_;
  std::optional<logic::PropertyFile> property_;
  std::optional<Error> refused_;
  bool table_sent_ = false;
  bool asks_ = false;

  std::unique_ptr<Epoch> epoch_; // there when the initial state has come, until the end
  std::unique_ptr<ObservedRun> observed_;
  std::unique_ptr<Loops> loops_;
  std::uint32_t epoch_number_ = 0;
  std::uint64_t epoch_position_ = 0;                       // of the last event before the epoch
  std::vector<Message> waiting_;                           // for their epoch, or for the initial state
  std::map<std::uint32_t, CheckpointMessage> checkpoints_; // by the epoch that they end
  std::optional<FinishMessage> finish_;
  std::uint64_t held_bytes_ = 0;                     // of waiting messages and checkpoints
  std::uint64_t unweighed_ = 0;                      // bytes of events since the memory was last looked at
  std::uint64_t messages_ = 0;                       // different ones
  std::size_t violations_seen_ = 0;                  // of the epoch's lattice
  std::vector<bool> told_observed_, told_predicted_; // by monitor
  std::optional<std::string> stop_;
  std::vector<const logic::Property*> to_call_; // since the last answer
  std::set<const logic::Property*> called_;     // those, and before
  std::uint32_t newest_site_ = 0;               // of the event that came last
  std::uint64_t looks_given_up_ = 0;
  std::uint64_t reorders_ = 0;
  std::uint64_t cuts_left_out_ = 0;
  std::uint64_t unreached_ = 0;
  logic::Faults faults_elsewhere_; // of the epochs' lattices
  std::uint32_t threads_ = 1;
  bool given_up_ = false;
  bool out_of_budget_ = false;
  bool concluded_ = false;

  report::Report report_;
};

} // namespace sooth::observe
