// Four threads write, read and iterate in one database; what it prints does not depend on their order.
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "leveldb/db.h"
#include "leveldb/write_batch.h"

namespace {

constexpr int kThreads = 4;
constexpr int kKeys = 300;

std::string key(int thread, int i) { return "key" + std::to_string(thread) + "." + std::to_string(i); }

void work(leveldb::DB* db, int thread, int* found) {
  for (int i = 0; i < kKeys; ++i) {
    leveldb::WriteBatch batch;
    batch.Put(key(thread, i), std::string(100 + i, static_cast<char>('a' + thread)));
    if (i % 3 == 0 && i > 0) batch.Delete(key(thread, i - 1));
    if (!db->Write(leveldb::WriteOptions(), &batch).ok()) return;
    std::string value;
    if (db->Get(leveldb::ReadOptions(), key(thread, i / 2), &value).ok()) *found += static_cast<int>(value.size());
  }
}

} // namespace

int main(int, char** argv) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10; // it is compacted in the background
  leveldb::DB* opened = nullptr;
  if (const leveldb::Status status = leveldb::DB::Open(options, argv[1], &opened); !status.ok()) {
    std::printf("%s\n", status.ToString().c_str());
    return 1;
  }
  const std::unique_ptr<leveldb::DB> db(opened);
  int found[kThreads] = {};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, db.get(), i, &found[i]);
  for (std::thread& thread : threads) thread.join();
  for (int bytes : found) std::printf("%d\n", bytes);

  long keys = 0, bytes = 0;
  const std::unique_ptr<leveldb::Iterator> place(db->NewIterator(leveldb::ReadOptions()));
  for (place->SeekToFirst(); place->Valid(); place->Next(), ++keys)
    bytes += static_cast<long>(place->key().size() + place->value().size());
  std::printf("%ld keys, %ld bytes\n", keys, bytes);
  return 0;
}
