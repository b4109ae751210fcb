// MemoryHistory against its simple definition: a map of bytes for every slot.
#include "trace/restore/memory_history.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

using namespace sooth::trace;

namespace {

struct Step {
  std::uint64_t address;
  std::uint64_t size;
  std::uint8_t byte;
  bool reset;
};

rc::Gen<Step> any_step(std::uint64_t largest) {
  return rc::gen::apply([](std::uint64_t address, std::uint64_t size, std::uint8_t byte,
                           int choice) { return Step{address, size, byte, choice == 0}; },
                        rc::gen::inRange<std::uint64_t>(0x1000, 0x1040), rc::gen::inRange<std::uint64_t>(1, largest),
                        rc::gen::inRange<std::uint8_t>(0, 3), rc::gen::inRange(0, 6));
}

using Bytes = std::map<std::uint64_t, std::uint8_t>;

bool fits(const Bytes& memory, std::uint64_t address, std::uint64_t size, std::uint8_t byte) {
  for (std::uint64_t i = 0; i < size; ++i) {
    const auto at = memory.find(address + i);
    if (at != memory.end() && at->second != byte) return false;
  }
  return true;
}

} // namespace

TEST(MemoryHistory, SearchesAgreeWithMemoryAtEverySlot) {
  EXPECT_TRUE(rc::check([] {
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step(24));
    MemoryHistory memory;
    std::vector<Bytes> at_slot = {{}};
    for (const Step& step : steps) {
      Bytes next = at_slot.back();
      const std::uint64_t position = at_slot.size() - 1;
      if (step.reset) memory.reset(step.address, step.size, false, position);
      else memory.write(step.address, Contents::filled(step.byte, step.size), position);
      for (std::uint64_t i = 0; i < step.size; ++i) {
        if (step.reset) next.erase(step.address + i);
        else next[step.address + i] = step.byte;
      }
      at_slot.push_back(std::move(next));
    }
    const Step asked = *any_step(12);
    const Contents seen = Contents::filled(asked.byte, asked.size);
    RC_ASSERT(memory.fits(asked.address, seen) == fits(at_slot.back(), asked.address, asked.size, asked.byte));
    for (std::uint64_t slot = 0; slot < at_slot.size(); ++slot) {
      RC_ASSERT(memory.fits_at(asked.address, seen, slot) ==
                fits(at_slot[slot], asked.address, asked.size, asked.byte));
    }
    if (memory.fits(asked.address, seen)) return;
    const auto floor = *rc::gen::inRange<std::uint64_t>(0, at_slot.size());
    std::optional<std::uint64_t> expected;
    for (std::uint64_t slot = floor; slot + 1 < at_slot.size(); ++slot) {
      if (fits(at_slot[slot], asked.address, asked.size, asked.byte)) expected = slot;
    }
    RC_ASSERT(memory.latest_fit(asked.address, seen, floor) == expected);
    if (!expected) return;
    memory.define_at(asked.address, seen, *expected);
    RC_ASSERT(memory.fits_at(asked.address, seen, *expected));
    const Contents other = Contents::filled(static_cast<std::uint8_t>(asked.byte + 1), asked.size);
    RC_ASSERT(!memory.fits_at(asked.address, other, *expected));
  }));
}

TEST(MemoryHistory, LargeRangesAgreeWithMemory) {
  EXPECT_TRUE(rc::check([] {
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step(9000));
    MemoryHistory memory;
    Bytes simple;
    std::uint64_t position = 0;
    for (const Step& step : steps) {
      if (step.reset) memory.reset(step.address, step.size, step.byte == 0, position++);
      else memory.write(step.address, Contents::filled(step.byte, step.size), position++);
      for (std::uint64_t i = 0; i < step.size; ++i) {
        if (step.reset && step.byte != 0) simple.erase(step.address + i);
        else simple[step.address + i] = step.reset ? 0 : step.byte;
      }
      const Step asked = *any_step(9000);
      const bool expected = fits(simple, asked.address, asked.size, asked.byte);
      RC_ASSERT(memory.fits(asked.address, Contents::filled(asked.byte, asked.size)) == expected);
      if (!expected) continue;
      memory.define(asked.address, Contents::filled(asked.byte, asked.size), position++);
      for (std::uint64_t i = 0; i < asked.size; ++i) simple[asked.address + i] = asked.byte;
    }
    for (std::uint64_t address = 0xf00; address < 0x3500; address += 7) {
      const auto at = simple.find(address);
      RC_ASSERT(memory.byte(address) == (at == simple.end() ? -1 : at->second));
    }
  }));
}

TEST(MemoryHistory, OnlyTheLastChangeCanBeTakenBack) {
  MemoryHistory memory;
  const auto fill = [](std::uint8_t byte, std::uint64_t size) { return Contents::filled(byte, size); };
  memory.write(0x1000, fill(1, 16), 0);
  memory.write(0x1004, fill(2, 8), 1);
  memory.write(0x1008, fill(3, 1), 2);
  EXPECT_FALSE(memory.take_back(0x1004, 8, 1));
  EXPECT_EQ(memory.byte(0x1004), 2);
  EXPECT_TRUE(memory.take_back(0x1008, 1, 2));
  EXPECT_TRUE(memory.take_back(0x1004, 8, 1));
  EXPECT_TRUE(memory.fits(0x1000, fill(1, 16)));
}
