// Daisy, the small file system of jPredictor, Tables 1 to 3: a disk of blocks, each under a spin lock of its own, and files of some blocks with
// the times at which they were opened and closed. Compiled with PSEUDO_FILE=1 the disk is an array of bytes (there Daisy-2), else a real file.
//
//   - The disk has one position. A thread that moves it holds the lock of a block, but not the same one as the others: seek and transfer do not
//     stay together (daisy.prop), and the position is raced for.
//   - Which blocks are in use stands in block 0, eight blocks to a byte, and is changed under the lock of the block, not under that of
//     block 0: the second race. In a real file it is out of sight.
//
// In the recorded run one user's files are closed before the other's are opened, and both times are taken from one clock under a lock: that hides both.
//
//   daisy [WRITES]           of each of the two users' files
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <sched.h>
#include <thread>
#include <unistd.h>

#include "../../tests/pairs/pair.h"

#ifndef PSEUDO_FILE
#define PSEUDO_FILE 0
#endif

constexpr int kBlocks = 200, kBlockBytes = 32, kFileBlocks = 2, kFirstFile = 8;

class Disk {
public:
  void seek(long position) { position_ = position; }
  void transfer_in(unsigned char* to, long bytes);
  void transfer_out(const unsigned char* from, long bytes);

private:
  long position_ = 0;
#if PSEUDO_FILE
  unsigned char bytes_[kBlocks * kBlockBytes] = {};
#else
  int file_ = fileno(std::tmpfile());

public:
  Disk() {
    if (ftruncate(file_, kBlocks * kBlockBytes) != 0) std::abort();
  }
#endif
};

#if PSEUDO_FILE
void Disk::transfer_in(unsigned char* to, long bytes) {
  std::memcpy(to, bytes_ + position_, static_cast<std::size_t>(bytes));
  position_ += bytes;
}
void Disk::transfer_out(const unsigned char* from, long bytes) {
  std::memcpy(bytes_ + position_, from, static_cast<std::size_t>(bytes));
  position_ += bytes;
}
#else
void Disk::transfer_in(unsigned char* to, long bytes) {
  if (pread(file_, to, static_cast<std::size_t>(bytes), position_) != bytes) std::abort();
  position_ += bytes;
}
void Disk::transfer_out(const unsigned char* from, long bytes) {
  if (pwrite(file_, from, static_cast<std::size_t>(bytes), position_) != bytes) std::abort();
  position_ += bytes;
}
#endif

// Waits in a loop that may not end: whatever follows depends on what was read there.
class alignas(64) SpinLock {
public:
  void lock() {
    while (held_.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

private:
  std::atomic<bool> held_ = false;
};

struct File {
  int first_block = 0;
  long opened = 0, closed = 0;
};

Disk disk;
SpinLock block_locks[kBlocks];
File files[2] = {{kFirstFile}, {kFirstFile + kFileBlocks}};
std::mutex clock_lock;
long ticks;

long now() {
  const std::lock_guard hold(clock_lock);
  return ++ticks;
}

// The sum that stands at the end of a block. It only computes, and is left out when the program is recorded.
__attribute__((noinline, pure)) unsigned char sum_of(const unsigned char* block) {
  unsigned sum = 0xffff;
  for (int i = 0; i < kBlockBytes - 1; ++i) {
    sum ^= static_cast<unsigned>(block[i]) << 8;
    for (int bit = 0; bit < 8; ++bit) sum = (sum & 0x8000) != 0 ? sum << 1 ^ 0x1021 : sum << 1;
  }
  return static_cast<unsigned char>(sum >> 8 ^ sum);
}

void mark_in_use(int block) {
  unsigned char in_use = 0;
  disk.seek(block / 8);
  disk.transfer_in(&in_use, 1);
  in_use = static_cast<unsigned char>(in_use | 1u << block % 8);
  disk.seek(block / 8);
  disk.transfer_out(&in_use, 1);
}

void write_block(int number, unsigned char content) {
  const std::lock_guard hold(block_locks[number]);
  mark_in_use(number);
  unsigned char block[kBlockBytes];
  std::memset(block, content, kBlockBytes);
  block[kBlockBytes - 1] = sum_of(block);
  disk.seek(static_cast<long>(number) * kBlockBytes);
  disk.transfer_out(block, kBlockBytes);
}

bool check_block(int number) {
  const std::lock_guard hold(block_locks[number]);
  unsigned char block[kBlockBytes];
  disk.seek(static_cast<long>(number) * kBlockBytes);
  disk.transfer_in(block, kBlockBytes);
  return block[kBlockBytes - 1] == sum_of(block);
}

void write_file(File& file, unsigned char content) {
  file.opened = now();
  for (int i = 0; i < kFileBlocks; ++i) write_block(file.first_block + i, content);
  file.closed = now();
}

void user(int number, long writes) {
  if (number == 1) at(1);
  for (long i = 0; i < writes; ++i) write_file(files[number], static_cast<unsigned char>(i + number));
  if (number == 0) at(0);
  // The second one also looks after the disk: all blocks but those of the table.
  for (int block = kFirstFile; number == 1 && block < kBlocks; ++block)
    if (!check_block(block)) std::abort();
}

int main(int argc, char** argv) {
  const long writes = argc > 1 ? std::atol(argv[1]) : 2'000;
  for (int block = 0; block < kFirstFile; ++block) mark_in_use(block);
  for (int block = kFirstFile; block < kBlocks; ++block) write_block(block, 0);
  std::thread first(user, 0, writes), second(user, 1, writes);
  first.join();
  second.join();
  std::printf("%ld ticks, closed at %ld and %ld\n", ticks, files[0].closed, files[1].closed);
}
