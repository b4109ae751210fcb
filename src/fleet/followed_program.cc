#include "fleet/followed_program.h"

#include <fmt/format.h>

#include "observe/wrong.h"

namespace sooth::fleet {
namespace {

observe::Hello hello_of(const Announcement& announcement) {
  observe::Hello hello;
  hello.program = announcement.program;
  hello.pid = announcement.pid;
  return hello;
}

observe::ProgramOptions with_property(observe::ProgramOptions options, const Announcement& announcement) {
  options.property_name = announcement.property_name;
  options.property_text = announcement.property_text;
  return options;
}

} // namespace

FollowedProgram::FollowedProgram(const Announcement& announcement, const observe::ProgramOptions& options,
                                 observe::Speaker speaker)
    : announcement_(announcement), speaker_(speaker),
      program_(hello_of(announcement), with_property(options, announcement), std::move(speaker)) {}

std::optional<Error> FollowedProgram::take(const Record& record) {
  if (const auto* frames = std::get_if<FramesRecord>(&record)) return take_frames(*frames);
  const auto* end = std::get_if<EndRecord>(&record);
  if (end == nullptr || end->id != announcement_.id) return observe::wrong("a record that does not belong here.");
  if (end_) return std::nullopt; // once more
  if (end->records < next_) return observe::wrong("an end before records that were there.");
  end_ = end->records;
  return std::nullopt;
}

std::optional<Error> FollowedProgram::take_frames(const FramesRecord& record) {
  if (record.id != announcement_.id) return observe::wrong("a record of another program.");
  if (end_ && record.number >= *end_) return observe::wrong("a record after the program's end.");
  if (record.number < next_) return std::nullopt; // once more
  if (record.number != next_) {
    beyond_.emplace(record.number, record);
    if (beyond_.size() > kMostUnderWay) skip_gap();
    return std::nullopt;
  }
  look_at(record);
  ++next_;
  look_at_next();
  return std::nullopt;
}

void FollowedProgram::look_at_next() {
  for (auto at = beyond_.begin(); at != beyond_.end() && at->first == next_; at = beyond_.erase(at)) {
    look_at(at->second);
    ++next_;
  }
}

void FollowedProgram::skip_gap() {
  lost_ += beyond_.begin()->first - next_;
  next_ = beyond_.begin()->first;
  look_at_next();
}

// As over a socket: a wrong message ends its channel, with a sentence, and nothing else.
void FollowedProgram::look_at(const FramesRecord& record) {
  if (refused_.contains(record.channel)) return;
  const auto refuse = [&](const std::string& why) {
    refused_.insert(record.channel);
    speaker_.note(fmt::format("{} Nothing more of this channel is looked at.", why));
  };
  observe::Frames frames;
  frames.add(record.frames);
  while (true) {
    const auto frame = frames.next();
    if (!frame) return refuse(frame.error().message);
    if (!frame.value()) break;
    const auto message = observe::decode(*frame.value());
    if (!message) return refuse(message.error().message);
    std::vector<observe::Message> answers; // the relay has given them
    if (const auto error = program_.take(message.value(), answers)) return refuse(error->message);
  }
  if (frames.left() != 0) refuse("a message that is cut off.");
}

void FollowedProgram::conclude() {
  while (!beyond_.empty()) skip_gap();
  if (end_ && *end_ > next_) {
    lost_ += *end_ - next_;
    next_ = *end_;
  }
  program_.conclude();
  program_.lack("lostRecords", lost_, "records that the stream did not have (any more)");
  program_.lack("refusedChannels", refused_.size(), "channels of the program that had a wrong message");
}

} // namespace sooth::fleet
