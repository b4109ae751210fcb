// The names of what is kept in NATS, for a fleet called NAME (--stream):
//
//     stream NAME            NAME.announce.ID   one announcement for each program without a verdict
//                            NAME.data.ID       its records of frames, and its end
//     stream NAME_verdicts   NAME.verdict.ID    its newest verdict
//     not stored             NAME.alive         the programs that relays have now
//
// The consumer `observers` of stream NAME hands out the announcements.
#pragma once

#include <algorithm>
#include <string>

#include "fleet/record.h"

namespace sooth::fleet {

inline constexpr const char* kObservers = "observers";

inline bool is_stream_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
  });
}
inline std::string verdict_stream(const std::string& stream) { return stream + "_verdicts"; }
inline std::string announce_subject(const std::string& stream, const std::string& id) {
  return stream + ".announce." + id;
}
inline std::string data_subject(const std::string& stream, const std::string& id) { return stream + ".data." + id; }
inline std::string verdict_subject(const std::string& stream, const std::string& id) {
  return stream + ".verdict." + id;
}
inline std::string alive_subject(const std::string& stream) { return stream + ".alive"; }

} // namespace sooth::fleet
