// The trace file of this process: its first page, mapped; space for chunks; chunks written whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/format.h"

namespace sooth::runtime {

// The mapped first page. Before there is a file, and if there cannot be one, a page of our own.
extern trace::FileHeader* g_header;

bool file_is_open();
// FileFlags, of the file that is open or will be, and of those of children.
void set_file_flag(trace::FileFlags flag, bool on);
// Creates the file. `path` must not exist; false (with a line on standard error) if it cannot be made.
bool open_file(const char* path);
// For a program that is observed: buffers need a file, but nothing of it is kept.
bool open_memory_file();
// Child of a fork: lets go of the parent's file without touching it.
void abandon_file();

// Writes a chunk at the end of the file. The checksums are filled in.
void write_chunk(trace::ChunkType type, const void* body, std::size_t bytes, std::size_t raw_bytes,
                 std::uint32_t thread, std::uint32_t count, std::uint64_t first_slot);
// A mapped chunk of type Live of `bytes` bytes, header included; null if there is no room.
trace::ChunkHeader* map_live(std::size_t bytes, std::uint64_t& offset);
// The disk space of a free live chunk's slots goes back; its mapping stays usable.
void punch(std::uint64_t offset, std::size_t bytes);

} // namespace sooth::runtime
