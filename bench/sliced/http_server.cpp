// The HTTP server of jPredictor, Tables 1 to 3. One thread answers requests. When there is none it says that it is idle and suspends itself;
// a client that has left a request resumes it if it is idle. Two things are wrong:
//
//   - `client` and `idle` are used by both sides without a lock. What `client` does is hidden: between any two uses of it both sides have
//     written the server's log, under a lock;
//   - the server is idle before it is suspended. A client that comes in between resumes a thread that is not suspended yet, and
//     nobody will resume it later: suspend and resume do not alternate (http_server.prop).
//
//   http_server [ROUNDS]     of each of five clients, one after the other; in a round it asks twice, the second time while the server is busy
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "../../tests/pairs/pair.h"

constexpr int kClients = 5;

int client;                    // the number of a request that waits, or 0
bool idle;                     // the server is suspended, or about to be
long answered;                 // only the server's
std::mutex log_lock;           //
long log_lines;                // what hides the race: everybody counts
std::mutex gate;               //
std::condition_variable wakes; //
bool suspended;                // what is behind suspend and resume

// The turns of one round, which order the recorded run and are not seen by Sooth.
enum Turn { kSuspended, kFirstRequest, kFirstAnswer, kSecondRequest, kSecondIsThere, kBusyNoMore, kTurns };
void at_round(long round, Turn turn) { at(static_cast<int>(round * kTurns + turn)); }

void write_log() {
  const std::lock_guard hold(log_lock);
  ++log_lines;
}

void suspend(long round) {
  std::unique_lock hold(gate);
  suspended = true;
  at_round(round, kSuspended);
  while (suspended) wakes.wait(hold);
}

void resume() {
  const std::lock_guard hold(gate);
  suspended = false;
  wakes.notify_one();
}

// Parses the request's line and makes a page with a checksum. It only computes, and is left out when the program is recorded.
__attribute__((noinline, const)) long page_of(int request) {
  char line[64] = "GET /page/";
  int length = 10;
  for (int rest = request; rest > 0; rest /= 10) line[length++] = static_cast<char>('0' + rest % 10);
  unsigned low = 1, high = 0;
  for (int i = 0; i < 2048; ++i) {
    low = (low + static_cast<unsigned char>(line[i % length])) % 65521;
    high = (high + low) % 65521;
  }
  return static_cast<long>(high << 16 | low);
}

int poll() {
  write_log();
  const int next = client;
  client = 0;
  write_log();
  return next;
}

void server(long requests) {
  for (long served = 0; served < requests;) {
    const int next = poll();
    if (next == 0) {
      idle = true;
      suspend(served / 2);
      idle = false;
      continue;
    }
    answered += page_of(next);
    ++served;
    if (served % 2 == 1) {
      at_round(served / 2, kFirstAnswer);
      at_round(served / 2, kBusyNoMore);
    }
  }
}

void ask(int request) {
  write_log();
  client = request;
  write_log();
  if (idle) resume();
}

void clients_day(long first_round, long rounds) {
  for (long round = first_round; round < first_round + rounds; ++round) {
    at_round(round, kFirstRequest);
    ask(static_cast<int>(2 * round + 1));
    at_round(round, kSecondRequest);
    ask(static_cast<int>(2 * round + 2));
    at_round(round, kSecondIsThere);
  }
}

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? std::atol(argv[1]) : 1'000;
  std::thread serving(server, 2 * kClients * rounds);
  for (int number = 0; number < kClients; ++number) std::thread(clients_day, number * rounds, rounds).join();
  serving.join();
  std::printf("%ld requests, %ld\n", 2 * kClients * rounds, answered);
}
