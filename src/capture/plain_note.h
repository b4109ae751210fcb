// The note in a program or library that names what was linked into it without hooks. The compilers
// write it when they link, the runtime reads it when the program starts.
#pragma once

#include <cstdint>

namespace sooth::capture {

inline constexpr char kNoteOwner[] = "Sooth";
inline constexpr std::uint32_t kPlainObjects = 1;  // the note's type: names, each with a zero behind it
inline constexpr char kIdentification[] = "Sooth"; // in the .comment section of each object of ours

} // namespace sooth::capture
