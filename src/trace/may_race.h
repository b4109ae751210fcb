// Names of a `watch` with the flag kFill and without bytes. Between such a name and its end, the
// thread's own plain reads or writes may race.
#pragma once

namespace sooth::trace {

inline constexpr char kReadsMayRace[] = "reads may race";
inline constexpr char kReadsMayRaceEnd[] = "reads may race no longer";
inline constexpr char kWritesMayRace[] = "writes may race";
inline constexpr char kWritesMayRaceEnd[] = "writes may race no longer";

} // namespace sooth::trace
