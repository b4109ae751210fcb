// Slots to bytes and back: everything comes back, in the room that was promised.
#include "trace/event_codec.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "unit/raw_file.h"

using namespace sooth::trace;
using sooth::test::Slots;

namespace {

std::vector<std::uint8_t> encoded(const Slots& slots) {
  std::vector<std::uint8_t> out(kEncodedHeader + slots.size() * kMaxEncodedSlot);
  const std::uint8_t* end = encode_slots(slots.data(), slots.size(), out.data());
  EXPECT_LE(end, out.data() + out.size());
  out.resize(static_cast<std::size_t>(end - out.data()));
  return out;
}

void expect_back(const Slots& slots) {
  const auto bytes = encoded(slots);
  Slots back(slots.size());
  ASSERT_TRUE(decode_slots(bytes.data(), bytes.size(), back.data(), back.size()));
  for (std::size_t i = 0; i < slots.size(); ++i)
    ASSERT_EQ(std::memcmp(&slots[i], &back[i], sizeof slots[i]), 0) << "slot " << i;
}

// Few sites (some share an entry), few addresses, values that are near, known or noise.
RawEvent any_slot(std::uint64_t& counter) {
  const auto pick = [](unsigned n) { return *rc::gen::inRange(0u, n); };
  RawEvent e = {};
  counter += pick(4) == 0 ? *rc::gen::arbitrary<std::uint32_t>() : pick(3);
  e.counter = counter;
  e.site = pick(4) + pick(2) * 1024;
  const std::uint64_t one_of_few = 0x7f0000001000 + 8 * pick(4) + 4096 * 512 * pick(2);
  e.address = pick(5) == 0 ? *rc::gen::arbitrary<std::uint64_t>() : one_of_few;
  e.value = pick(3) == 0 ? *rc::gen::arbitrary<std::uint64_t>() : pick(3);
  e.size = static_cast<std::uint8_t>(1u << pick(4));
  if (e.size < 8) e.value &= (std::uint64_t{1} << (8 * e.size)) - 1;
  e.order = static_cast<std::uint8_t>(pick(6));
  e.kind = static_cast<std::uint8_t>(1 + pick(4));
  return e;
}

Slots any_update(std::uint64_t& counter) {
  const RawEvent like = any_slot(counter);
  const auto word = [&] { return any_slot(counter).value; };
  std::vector<std::uint8_t> seen(like.size), written(like.size);
  const std::uint64_t old = word(), now = *rc::gen::inRange(0, 2) == 0 ? old + 1 : word();
  std::memcpy(seen.data(), &old, like.size);
  std::memcpy(written.data(), &now, like.size);
  return sooth::test::rmw(like.address, seen, written, counter);
}

Slots any_slots() {
  Slots out;
  std::uint64_t counter = 0;
  for (int n = *rc::gen::inRange(0, 40); n > 0; --n) {
    if (*rc::gen::inRange(0, 4) == 0) {
      const Slots update = any_update(counter);
      out.insert(out.end(), update.begin(), update.end());
    } else {
      out.push_back(any_slot(counter));
    }
  }
  return out;
}

RC_GTEST_PROP(TraceCodec, EverythingComesBack, ()) { expect_back(any_slots()); }

// Bytes of a recorded program may have any values: no column outgrows its room.
TEST(TraceCodec, NoiseFitsTheRoom) {
  Slots slots(5000);
  std::uint64_t noise = 1;
  const auto next = [&] { return noise = (noise ^ (noise >> 7)) * 0x9e3779b97f4a7c15u; };
  for (RawEvent& e : slots) {
    e.address = next();
    e.value = next();
    e.counter = next();
    e.site = static_cast<std::uint32_t>(next() >> 8);
    e.size = 8;
    e.order = static_cast<std::uint8_t>(next() >> 16);
    e.kind = static_cast<std::uint8_t>(EventKind::Read);
  }
  expect_back(slots);
}

// A counter that many threads add to: each update is a tag and two short numbers.
TEST(TraceCodec, UpdatesAreShort) {
  Slots slots;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::uint64_t old = 1000000 + 3 * i, now = old + 1;
    std::vector<std::uint8_t> seen(8), written(8);
    std::memcpy(seen.data(), &old, 8);
    std::memcpy(written.data(), &now, 8);
    const Slots update = sooth::test::rmw(0x1000, seen, written, i);
    slots.insert(slots.end(), update.begin(), update.end());
  }
  expect_back(slots);
  EXPECT_LT(encoded(slots).size(), 3 * 1000 + 100u);
}

// What a thread reads back is known by its address, whichever site wrote it.
TEST(TraceCodec, ValuesThatAreReadBackAreShort) {
  Slots slots;
  std::uint64_t noise = 1;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    noise = (noise ^ (noise >> 7)) * 0x9e3779b97f4a7c15u;
    for (const EventKind kind : {EventKind::Write, EventKind::Read}) {
      RawEvent e = sooth::test::plain(kind, 0x1000, noise, 1, 8);
      e.site = static_cast<std::uint32_t>(kind);
      slots.push_back(e);
    }
  }
  expect_back(slots);
  EXPECT_LT(encoded(slots).size(), (8 + 2) * 1000 + 100u);
}

TEST(TraceCodec, AnotherVersionIsRefusedByName) {
  auto bytes = encoded({sooth::test::read(0x1000, 1, 1)});
  bytes[codec_detail::kVersionPlace] ^= 1;
  Slots back(1);
  EXPECT_TRUE(is_of_other_version(bytes.data(), bytes.size()));
  EXPECT_FALSE(decode_slots(bytes.data(), bytes.size(), back.data(), 1));

  ChunkHeader header = {};
  header.type = static_cast<std::uint32_t>(ChunkType::Events);
  header.raw_bytes = bytes.size();
  header.count = 1;
  // An LZ4 block of literals only.
  std::vector<std::uint8_t> block = {0xf0, static_cast<std::uint8_t>(bytes.size() - 15)};
  block.insert(block.end(), bytes.begin(), bytes.end());
  ASSERT_LT(bytes.size(), 15 + 255u);
  const Trace trace = sooth::test::trace_of(sooth::test::RawFile().chunk(header, block));
  EXPECT_TRUE(std::any_of(trace.notes.begin(), trace.notes.end(), [](const std::string& note) {
    return note.find("encoded by another version of Sooth") != std::string::npos;
  }));
}

} // namespace
