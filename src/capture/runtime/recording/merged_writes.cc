// The last values of writes that were left out because the thread had written the same bytes
// before.
#include "capture/runtime/recording/cell_table.h"

namespace sooth::runtime {
namespace {

// While the thread is alone, the first of the writes was not kept either: this is an ordinary one.
std::uint8_t flags_now() { return g_alone ? 0 : trace::kMerged; }

// Joins cells of neighbouring granules into one range. Loops often write two or three arrays at a
// time, so several ranges grow side by side.
class Gathering {
public:
  explicit Gathering(Thread* t) : t_(t) {}
  ~Gathering() {
    for (Piece& piece : pieces_) put(piece);
  }
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  void add(std::uint64_t granule, std::uint64_t bytes) {
    for (Piece& piece : pieces_) {
      if (piece.address + piece.size != granule) continue;
      if (piece.size == kMost) put(piece);
      return extend(piece, granule, bytes);
    }
    Piece& oldest = pieces_[next_++ % kPieces];
    put(oldest);
    extend(oldest, granule, bytes);
  }

private:
  static constexpr unsigned kPieces = 4;
  static constexpr std::uint64_t kMost = 64; // the verifier looks for the kept writes of each of its granules
  struct Piece {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::uint8_t bytes[kMost];
  };

  static void extend(Piece& piece, std::uint64_t granule, std::uint64_t bytes) {
    if (piece.size == 0) piece.address = granule;
    __builtin_memcpy(piece.bytes + piece.size, &bytes, sizeof bytes);
    piece.size += sizeof bytes;
  }
  void put(Piece& piece) {
    if (piece.size == sizeof(std::uint64_t)) {
      std::uint64_t value;
      __builtin_memcpy(&value, piece.bytes, sizeof value);
      append(t_, EventKind::Write, piece.address, value, 0, sizeof value, flags_now());
    } else if (piece.size != 0) {
      append_payload(t_, EventKind::Write, piece.address, piece.size, 0, 0, 0, flags_now(), piece.bytes, piece.size,
                     nullptr, 0);
    }
    piece.size = 0;
  }

  Thread* t_;
  Piece pieces_[kPieces] = {};
  unsigned next_ = 0;
};

} // namespace

// Writes the last values of a cell's dirty bytes, as the largest aligned pieces they form.
void write_merged(Thread* t, Cell& cell) {
  const std::uint64_t base = address_of(cell);
  const unsigned mask = dirty(cell);
  cell.low |= 0xff00;
  for (unsigned offset = 0; offset < 8;) {
    unsigned size = 8;
    while (size > 1 && (offset % size != 0 || ((mask >> offset) & ((1u << size) - 1)) != (1u << size) - 1)) size /= 2;
    if ((mask >> offset) & 1)
      append(t, EventKind::Write, base + offset, bytes_at(cell, offset, size), 0, static_cast<std::uint8_t>(size),
             flags_now());
    offset += size;
  }
}

// Writes the merged writes of all cells. A cell may have been evicted since it became dirty: then
// it is clean, or belongs to another granule.
void write_all_merged(Thread* t) {
  {
    Gathering gathering(t);
    for (std::size_t i = 0; i < t->dirty_block_count; ++i) {
      const std::uint32_t block = t->dirty_blocks[i];
      t->block_is_dirty[block] = 0;
      Cell* const cells = reinterpret_cast<Cell*>(t->table) + block * kBlockCells;
      for (std::size_t k = 0; k < kBlockCells; ++k) {
        Cell& cell = cells[k];
        if (!is_current(cell) || dirty(cell) == 0) continue;
        if (dirty(cell) == 0xff) {
          cell.low |= 0xff00;
          gathering.add(address_of(cell), cell.bytes);
        } else {
          write_merged(t, cell);
        }
      }
    }
  }
  t->dirty_count = t->dirty_block_count = 0;
  t->live->reserved = 0;
}

} // namespace sooth::runtime
