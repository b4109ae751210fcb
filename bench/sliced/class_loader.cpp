// The class loader and the log handler of a web server: jPredictor, Figs. 11 to 13 (there from Tomcat 5). Two requests come at the same time and need
// the same class.
//
//   - The log handler looks whether there is a log to be used again, and then takes it: between the two another thread may have taken it.
//   - The loader looks whether the class is loaded; if not it defines the package, defines the class, and then clears what it has no more need of. A second
//     thread that has looked before the class was there defines the package after it was cleared, with null for an argument (class_loader.prop).
//
// LOADER says how the loader looks: 12 as in Fig. 12, without a lock; 13 as in the patch of Fig. 13, which takes the lock for looking, and only for
// that; 0 right, under the lock from looking to clearing.
//
//   class_loader [CLASSES]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "../../tests/pairs/pair.h"

#ifndef LOADER
#define LOADER 12
#endif

constexpr int kContent = 64, kLogs = 4;

struct Entry {
  const unsigned char* binary_content = nullptr;
  long loaded_class = 0; // 0: not loaded
  const char* manifest = nullptr;
  const char* code_base = nullptr;
};

unsigned char content[kContent];
std::vector<Entry> entries;
std::mutex loader_lock;

// Logs that can be used again.
struct Reuse {
  int count = kLogs;
  int logs[kLogs] = {1, 2, 3, 4};
};
Reuse reuse;
std::mutex reuse_lock; // only the right one takes it
std::mutex log_lock;
long log_lines;
long last_access; // when the last request came: benign

// The turns of one class, which order the recorded run and are not seen by Sooth. The first request looks, the second one looks, the first one stores and
// ends, the second one does; the right ones come one after the other.
#if LOADER == 0
enum Turn { kFirstBegins, kFirstEnds, kSecondBegins, kSecondEnds, kTurns };
#else
enum Turn {
  kFirstBegins,
  kFirstLooked,
  kSecondBegins,
  kSecondLooked,
  kFirstStores,
  kFirstEnds,
  kSecondStores,
  kSecondEnds,
  kTurns
};
#endif
void at_class(int number, Turn turn) { at(number * kTurns + turn); }

void write_log() {
  const std::lock_guard hold(log_lock);
  ++log_lines;
}

// Fig. 11.
int start_capture() {
  std::unique_lock hold(reuse_lock, std::defer_lock);
  if (LOADER == 0) hold.lock();
  if (reuse.count == 0) return 0;
  --reuse.count;
  return reuse.logs[reuse.count];
}
void stop_capture(int log) {
  std::unique_lock hold(reuse_lock, std::defer_lock);
  if (LOADER == 0) hold.lock();
  if (log == 0) return;
  reuse.logs[reuse.count] = log;
  ++reuse.count;
}
void note_access(int time) {
  std::unique_lock hold(reuse_lock, std::defer_lock);
  if (LOADER == 0) hold.lock();
  last_access = time;
}

void define_package(const Entry& entry) {
  if (entry.manifest == nullptr || entry.code_base == nullptr) std::abort();
}

// The check of a class file. It only computes, and is left out when the program is recorded.
__attribute__((noinline, pure)) long define_class(const unsigned char* binary) {
  std::uint64_t hash = 14695981039346656037u;
  for (int round = 0; round < 8; ++round)
    for (int i = 0; i < kContent; ++i) hash = (hash ^ binary[i]) * 1099511628211u;
  return static_cast<long>(hash >> 1) | 1;
}

void clear(Entry& entry) {
  entry.binary_content = nullptr;
  entry.manifest = nullptr;
  entry.code_base = nullptr;
}

// The class is defined and not yet stored: the other request has its turn.
void others_turn(int number, bool first) {
#if LOADER == 0
  (void)number, (void)first; // it has to wait for the lock
#else
  at_class(number, first ? kFirstLooked : kSecondLooked);
  at_class(number, first ? kFirstStores : kSecondStores);
#endif
}

long load(Entry& entry, int number, bool first) {
  const unsigned char* binary = entry.binary_content;
  define_package(entry);
  const long defined = define_class(binary);
  write_log();
  others_turn(number, first);
  return defined;
}

long store(Entry& entry, long defined) {
  if (entry.loaded_class != 0) return entry.loaded_class;
  entry.loaded_class = defined;
  clear(entry);
  return defined;
}

#if LOADER == 0
long find_class(Entry& entry, int number, bool first) {
  const std::lock_guard hold(loader_lock);
  if (entry.loaded_class != 0) return entry.loaded_class;
  return store(entry, load(entry, number, first));
}
#else
long find_class(Entry& entry, int number, bool first) {
#if LOADER == 12
  if (entry.binary_content == nullptr && entry.loaded_class == 0) return 0;
  if (const long loaded = entry.loaded_class) return loaded;
#else
  if (const long loaded = entry.loaded_class) return loaded;
  {
    const std::lock_guard hold(loader_lock);
    if (entry.binary_content == nullptr && entry.loaded_class == 0) return 0;
  }
#endif
  const long defined = load(entry, number, first);
  write_log();
  const std::lock_guard hold(loader_lock);
  return store(entry, defined);
}
#endif

void requests(bool first, long* result) {
  for (int number = 0; number < static_cast<int>(entries.size()); ++number) {
    at_class(number, first ? kFirstBegins : kSecondBegins);
    write_log();
    note_access(number);
    const int log = start_capture();
    *result += find_class(entries[static_cast<std::size_t>(number)], number, first) % 1000;
    stop_capture(log);
    write_log();
    at_class(number, first ? kFirstEnds : kSecondEnds);
  }
}

int main(int argc, char** argv) {
  const long classes = argc > 1 ? std::atol(argv[1]) : 20'000;
  for (int i = 0; i < kContent; ++i) content[i] = static_cast<unsigned char>(i * i);
  entries.resize(static_cast<std::size_t>(classes), {content, 0, "Manifest-Version: 1.0", "lib/server.jar"});
  long results[2] = {};
  std::thread first(requests, true, &results[0]), second(requests, false, &results[1]);
  first.join();
  second.join();
  std::printf("%ld classes, %ld %ld\n", classes, results[0], results[1]);
}
