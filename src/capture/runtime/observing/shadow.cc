#include "capture/runtime/observing/shadow.h"

#include "capture/runtime/observing/threads.h"
#include "capture/runtime/os.h"

namespace sooth::runtime::observing {
namespace {

// Bytes of one granule that have always been accessed together.
struct Piece {
  Piece* next;
  VectorClock* access;
  VectorClock* write;
  std::uint64_t writer_hook; // number of the hook that wrote last; 0: none
  std::uint64_t rival_hook;  // of another thread's write, which may have been stored after the last one
  std::uint32_t writer;
  std::uint32_t rival;
  std::uint8_t mask;
  bool contested; // there is a rival
  bool touched;
  bool shared; // by more threads than `toucher`
  std::uint32_t toucher;
};
struct Granule {
  Piece* pieces; // their masks do not overlap
  std::uint64_t bytes;
  std::uint8_t known;
};
constexpr std::uint64_t kPageBytes = 4096;
constexpr std::size_t kGranules = kPageBytes / 8;
struct Page {
  Page* next;
  std::uint64_t number;
  Granule* granules;  // null: `whole` stands for every byte
  VectorClock* whole; // of the object that ended here last; both of its clocks
};
constexpr std::size_t kBuckets = std::size_t{1} << 16;
Page* g_pages[kBuckets];

Page*& bucket_of(std::uint64_t number) { return g_pages[number * 0x9e3779b97f4a7c15u >> 48]; }

Page* find_page(std::uint64_t number) {
  Page* page = bucket_of(number);
  while (page != nullptr && page->number != number) page = page->next;
  return page;
}

Granule* granule_of(std::uint64_t address) {
  const std::uint64_t number = address / kPageBytes;
  Page* page = find_page(number);
  if (page == nullptr) {
    page = static_cast<Page*>(take_memory(sizeof(Page)));
    if (page == nullptr) return nullptr;
    Page*& bucket = bucket_of(number);
    *page = {bucket, number, nullptr, nullptr};
    bucket = page;
  }
  if (page->granules == nullptr) {
    page->granules = static_cast<Granule*>(take_memory(kGranules * sizeof(Granule)));
    if (page->granules == nullptr) return nullptr;
    os::zero(page->granules, kGranules * sizeof(Granule));
  }
  Granule& granule = page->granules[address % kPageBytes / 8];
  if (granule.pieces == nullptr && is_current(page->whole)) { // the clock of the page's last object
    auto* piece = static_cast<Piece*>(take_memory(sizeof(Piece)));
    if (piece == nullptr) return nullptr;
    *piece = {};
    piece->mask = 0xff;
    assign_clock(piece->access, page->whole);
    assign_clock(piece->write, page->whole);
    granule.pieces = piece;
  }
  return &granule;
}

void add_piece(Granule& granule, std::uint8_t mask, const Piece* like) {
  auto* piece = static_cast<Piece*>(take_memory(sizeof(Piece)));
  if (piece == nullptr) return;
  *piece = like != nullptr ? *like : Piece{};
  if (piece->access != nullptr) ++piece->access->references;
  if (piece->write != nullptr) ++piece->write->references;
  piece->mask = mask;
  piece->next = granule.pieces;
  granule.pieces = piece;
}

// Afterwards every piece lies inside `mask` or outside of it, and pieces cover all of `mask`.
void fit_pieces(Granule& granule, std::uint8_t mask) {
  std::uint8_t covered = 0;
  for (Piece* piece = granule.pieces; piece != nullptr; piece = piece->next) {
    const auto inside = static_cast<std::uint8_t>(piece->mask & mask);
    covered |= inside;
    if (inside == 0 || inside == piece->mask) continue;
    add_piece(granule, static_cast<std::uint8_t>(piece->mask & ~mask), piece); // in front: not visited again
    piece->mask = inside;
  }
  if (covered != mask) add_piece(granule, static_cast<std::uint8_t>(mask & ~covered), nullptr);
}

// Calls `body(granule, mask, offset of the granule's first byte from address)` for each granule of
// the range.
template <typename Body>
void for_granules(std::uint64_t address, std::uint64_t size, Body body) {
  const std::uint64_t end = address + size;
  for (std::uint64_t base = address & ~std::uint64_t{7}; base < end; base += 8) {
    unsigned mask = 0xff;
    if (base < address) mask &= 0xffu << (address - base);
    if (end - base < 8) mask &= (1u << (end - base)) - 1;
    if (Granule* granule = granule_of(base))
      body(*granule, static_cast<std::uint8_t>(mask), static_cast<std::int64_t>(base - address));
  }
}

template <typename Body>
void for_pieces(std::uint64_t address, std::uint64_t size, Body body) {
  for_granules(address, size, [&](Granule& granule, std::uint8_t mask, std::int64_t) {
    fit_pieces(granule, mask);
    for (Piece* piece = granule.pieces; piece != nullptr; piece = piece->next)
      if (piece->mask & mask) body(*piece);
  });
}

std::uint64_t spread(std::uint8_t mask) { // 0xff for each byte of the mask
  std::uint64_t out = 0;
  for (unsigned i = 0; i < 8; ++i)
    if (mask >> i & 1) out |= std::uint64_t{0xff} << (8 * i);
  return out;
}

void touch_piece(Piece& piece, std::uint32_t thread) {
  if (!piece.touched) piece.toucher = thread;
  else if (piece.toucher != thread) piece.shared = true;
  piece.touched = true;
}

void forget_piece(Piece* piece) {
  drop_clock(piece->access);
  drop_clock(piece->write);
  drop_memory(piece, sizeof *piece);
}

// From now on all bytes of the page have the same clock, and unknown values.
void forget_page(Page& page) {
  if (page.granules == nullptr) return;
  for (std::size_t i = 0; i < kGranules; ++i) {
    for (Piece* piece = page.granules[i].pieces; piece != nullptr;) {
      Piece* next = piece->next;
      forget_piece(piece);
      piece = next;
    }
  }
  drop_memory(page.granules, kGranules * sizeof(Granule));
  page.granules = nullptr;
}

template <typename Body>
void for_granules_of(Page& page, std::uint64_t from, std::uint64_t to, Body body) {
  if (page.granules == nullptr) return;
  for (std::uint64_t at = from; at < to; at += 8) {
    Granule& granule = page.granules[at % kPageBytes / 8];
    if (granule.pieces != nullptr) body(granule);
  }
}

} // namespace

Seen judge_read(ThreadState& self, std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  Seen seen = Seen::Fits;
  for_granules(address, size, [&](Granule& granule, std::uint8_t mask, std::int64_t offset) {
    std::uint8_t wrong = 0;
    for (unsigned i = 0; i < 8; ++i) {
      if (((mask & granule.known) >> i & 1) == 0) continue;
      if (static_cast<std::uint8_t>(granule.bytes >> (8 * i)) != bytes[offset + static_cast<std::int64_t>(i)])
        wrong |= static_cast<std::uint8_t>(1u << i);
    }
    for (Piece* piece = granule.pieces; piece != nullptr; piece = piece->next) {
      if ((piece->mask & wrong) == 0) {
        // Both stores are done, and the store whose hook came last was the last.
        if (piece->contested && (piece->mask & mask & granule.known) != 0 &&
            has_gone_on(piece->rival, piece->rival_hook) && has_gone_on(piece->writer, piece->writer_hook))
          piece->contested = false;
        continue;
      }
      Seen here = Seen::External;
      if (piece->contested) here = Seen::Unordered;
      else if (piece->writer_hook != 0 && piece->writer != self.number &&
               next_hook(piece->writer, piece->writer_hook) > newest_hook(self))
        here = Seen::Overtaken; // its store may have come after our load
      if (here > seen) seen = here;
    }
    if (wrong != 0 && granule.pieces == nullptr && seen == Seen::Fits) seen = Seen::External;
  });
  return seen;
}

void shadow_read(ThreadState& self, std::uint64_t address, std::uint64_t size) {
  for_pieces(address, size, [&](Piece& piece) { join_clock(self.clock, piece.write); });
  for_pieces(address, size, [&](Piece& piece) {
    join_clock(piece.access, self.clock);
    touch_piece(piece, self.number);
  });
}

void shadow_write(ThreadState& self, std::uint64_t address, std::uint64_t size) {
  for_pieces(address, size, [&](Piece& piece) { join_clock(self.clock, piece.access); });
  for_pieces(address, size, [&](Piece& piece) {
    assign_clock(piece.access, self.clock);
    assign_clock(piece.write, self.clock);
    piece.writer = self.number;
    piece.writer_hook = g_hook;
    touch_piece(piece, self.number);
  });
}

bool is_shared(std::uint64_t address, std::uint64_t size) {
  bool shared = false;
  for_granules(address, size, [&](Granule& granule, std::uint8_t mask, std::int64_t) {
    for (const Piece* piece = granule.pieces; piece != nullptr; piece = piece->next)
      shared = shared || ((piece->mask & mask) != 0 && piece->shared);
  });
  return shared;
}

void shadow_values(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t size) {
  for_granules(address, size, [&](Granule& granule, std::uint8_t mask, std::int64_t offset) {
    if (bytes == nullptr) {
      granule.known &= static_cast<std::uint8_t>(~mask);
      return;
    }
    std::uint64_t fresh = 0;
    for (unsigned i = 0; i < 8; ++i)
      if (mask >> i & 1) fresh |= std::uint64_t{bytes[offset + static_cast<std::int64_t>(i)]} << (8 * i);
    granule.bytes = (granule.bytes & ~spread(mask)) | fresh;
    granule.known |= mask;
  });
}

void shadow_fill(std::uint64_t address, std::uint8_t byte, std::uint64_t size) {
  for_granules(address, size, [&](Granule& granule, std::uint8_t mask, std::int64_t) {
    const std::uint64_t wide = spread(mask);
    granule.bytes = (granule.bytes & ~wide) | (byte * std::uint64_t{0x0101010101010101} & wide);
    granule.known |= mask;
  });
}

bool has_rival(ThreadState& self, std::uint64_t address, std::uint64_t size, bool give_up) {
  bool found = false;
  for_granules(address, size, [&](Granule& granule, std::uint8_t mask, std::int64_t offset) {
    for (Piece* piece = granule.pieces; piece != nullptr; piece = piece->next) {
      if ((piece->mask & mask) == 0 || piece->writer_hook == 0 || piece->writer == self.number ||
          has_gone_on(piece->writer, piece->writer_hook))
        continue;
      // Its value is in memory: the store is done.
      bool done = (piece->mask & ~granule.known) == 0;
      const auto base = static_cast<std::int64_t>(address) + offset;
      for (unsigned i = 0; done && i < 8; ++i)
        if (piece->mask >> i & 1)
          done = *reinterpret_cast<const volatile std::uint8_t*>(base + static_cast<std::int64_t>(i)) ==
                 static_cast<std::uint8_t>(granule.bytes >> (8 * i));
      if (done) continue;
      found = true;
      if (!give_up) return;
      piece->contested = true;
      piece->rival = piece->writer;
      piece->rival_hook = piece->writer_hook;
    }
  });
  return found;
}

void shadow_object(ThreadState& self, std::uint64_t address, std::uint64_t size, bool ends) {
  const std::uint64_t end = address + size;
  const auto for_pages = [&](auto body) {
    for (std::uint64_t number = address / kPageBytes; number * kPageBytes < end; ++number) {
      Page* page = find_page(number);
      if (page == nullptr) continue;
      const std::uint64_t first = number * kPageBytes;
      body(*page, first < address ? address & ~std::uint64_t{7} : first,
           first + kPageBytes > end ? end : first + kPageBytes);
    }
  };
  if (ends)
    for_pages([&](Page& page, std::uint64_t from, std::uint64_t to) {
      join_clock(self.clock, page.whole);
      for_granules_of(page, from, to, [&](Granule& granule) {
        for (Piece* piece = granule.pieces; piece != nullptr; piece = piece->next)
          join_clock(self.clock, piece->access);
      });
    });
  for_pages([&](Page& page, std::uint64_t from, std::uint64_t to) {
    if (to - from == kPageBytes) {
      forget_page(page);
      return assign_clock(page.whole, self.clock);
    }
    for_granules_of(page, from, to, [&](Granule& granule) {
      granule.known = 0;
      for (Piece* piece = granule.pieces; piece != nullptr; piece = piece->next) {
        assign_clock(piece->access, self.clock);
        assign_clock(piece->write, self.clock);
        piece->writer_hook = 0;
        piece->contested = piece->touched = piece->shared = false;
      }
    });
  });
}

} // namespace sooth::runtime::observing
