// The trace file of this process: its mapped first page, space for chunks, and chunks written
// whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/format.h"

namespace sooth::runtime {

// The mapped first page. A private page while there is no file, or if there cannot be one.
extern trace::FileHeader* g_header;

bool file_is_open();
// FileFlags of the file that is open or will be, and of the files of children.
void set_file_flag(trace::FileFlags flag, bool on);
// Creates the file. `path` must not exist. False (with a line on standard error) if the file cannot
// be made.
bool open_file(const char* path);
// For an observed program: buffers need a file, but nothing of it is kept.
bool open_memory_file();
// In the child of a fork: lets go of the parent's file without touching it.
void abandon_file();

// Writes a chunk at the end of the file, and fills in the checksums. False if there is no room.
bool write_chunk(trace::ChunkType type, const void* body, std::size_t bytes, std::size_t raw_bytes,
                 std::uint32_t thread, std::uint32_t count, std::uint64_t first_slot);
// A mapped chunk of type Live of `bytes` bytes, header included. Null if there is no room.
trace::ChunkHeader* map_live(std::size_t bytes, std::uint64_t& offset);
// Gives back the disk space of a free live chunk's slots. Its mapping stays usable.
void punch(std::uint64_t offset, std::size_t bytes);

} // namespace sooth::runtime
