// Measures the tiers of prediction on a generated or a recorded trace; prints one line of JSON.
//
//   measure linear EVENTS THREADS          the linear tier alone
//   measure races EVENTS THREADS WINDOW    everything that finds races, maximal model, one job
//   measure search EVENTS THREADS          the complete tier alone: the first instance of every candidate
//   measure file TRACE WINDOW              as `races`, on a recorded trace
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include "base/budget.h"
#include "predict/question/closure.h"
#include "predict/question/must_order.h"
#include "predict/question/search.h"
#include "predict/races/flag_locks.h"
#include "predict/races/linear.h"
#include "predict/races/races.h"
#include "trace/objects.h"
#include "trace/reader.h"

using namespace sooth;
using trace::Event;
using trace::EventKind;

namespace {

// Everything here is one thread, so its processor time is what an idle machine would take; others may be at work.
double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
double since(double start) { return now() - start; }

long resident_kib() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}
long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// 1,000 variables, 50 locks, a fifth of all events synchronisation: of the variables most are under a lock of their own,
// some belong to a thread, some are only read, and 20 are used as it comes.
trace::Trace generate(std::size_t events, std::uint32_t threads) {
  constexpr std::uint32_t kVariables = 1000, kLocks = 50, kRacy = 20, kReadOnly = 80, kPrivate = 300;
  std::mt19937_64 random(events + threads);
  trace::Trace t;
  t.threads.resize(threads);
  t.sites.resize(2 * kVariables + 3);
  t.events.reserve(events);
  std::vector<std::uint64_t> memory(kVariables, 0);
  std::vector<std::uint32_t> owner(kLocks, threads);
  struct Program {
    std::uint32_t lock = kLocks; // none
    std::uint32_t left = 0;      // accesses until the release
  };
  std::vector<Program> programs(threads);
  const auto add = [&](std::uint32_t thread, EventKind kind, std::uint64_t address) -> Event& {
    Event e;
    e.thread = thread;
    e.kind = kind;
    e.address = address;
    t.events.push_back(e);
    return t.events.back();
  };
  while (t.events.size() < events) {
    const auto thread = static_cast<std::uint32_t>(random() % threads);
    Program& program = programs[thread];
    if (program.left == 0 && program.lock < kLocks) {
      add(thread, EventKind::Release, 0x100000 + 64 * program.lock);
      owner[program.lock] = threads;
      program.lock = kLocks;
      continue;
    }
    if (program.left == 0) {
      const auto lock = static_cast<std::uint32_t>(random() % kLocks);
      if (owner[lock] != threads) continue;
      add(thread, EventKind::Acquire, 0x100000 + 64 * lock);
      owner[lock] = thread;
      program = {lock, 8};
      continue;
    }
    --program.left;
    const std::uint64_t what = random() % 100;
    std::uint64_t variable;
    bool writes = random() % 3 == 0;
    if (what < 1) variable = random() % kRacy;
    else if (what < 10) variable = kRacy + random() % kReadOnly, writes = false;
    else if (what < 40) variable = kRacy + kReadOnly + (thread + threads * (random() % (kPrivate / threads)));
    else variable = kRacy + kReadOnly + kPrivate + program.lock + kLocks * (random() % 12);
    Event& e = add(thread, writes ? EventKind::Write : EventKind::Read, 0x10000 + 8 * variable);
    e.size = 8;
    e.site = static_cast<std::uint32_t>(1 + 2 * variable + (writes ? 1 : 0));
    if (writes) memory[variable] = random() % 16;
    e.value = memory[variable];
  }
  return t;
}

void linear(const trace::Trace& t) {
  const long before = resident_kib();
  const double start = now();
  const predict::LinearResult result = predict::linear_pass(t);
  const double seconds = since(start);
  std::printf("{\"events\": %zu, \"seconds\": %.6f, \"growth_kib\": %ld, \"races\": %zu, \"granules\": %llu}\n",
              t.events.size(), seconds, resident_kib() - before, result.races.size(),
              static_cast<unsigned long long>(result.granules));
}

void races(trace::Trace t, std::size_t window) {
  predict::Limits limits;
  limits.window = window;
  limits.jobs = 1;
  const double start = now();
  const trace::ObjectTable objects = separate_objects(t);
  const causality::Computation c = causality::compute(t, objects);
  const double computed = since(start);
  const auto feasibility = predict::make_feasibility(c, witness::Model::Maximal, limits);
  const double prepared = since(start);
  predict::Coverage coverage;
  const auto found = predict::find_races(t, c, *feasibility, witness::Model::Maximal, limits, coverage);
  const double all = since(start);
  std::map<std::string, int> tiers;
  for (const witness::Finding& finding : found) ++tiers[finding.engine];
  std::printf("{\"events\": %zu, \"steps\": %zu, \"compute_s\": %.4f, \"index_s\": %.4f, \"decide_s\": %.4f, "
              "\"candidates\": %llu, \"questions\": %llu, \"undecided\": %llu, \"races\": %zu, \"linear\": %d, "
              "\"closure\": %d, \"search\": %d, \"peak_kib\": %ld}\n",
              t.events.size(), c.steps.size(), computed, prepared - computed, all - prepared,
              static_cast<unsigned long long>(coverage.candidates), static_cast<unsigned long long>(coverage.questions),
              static_cast<unsigned long long>(coverage.undecided), found.size(), tiers["linear"], tiers["closure"],
              tiers["search"], peak_kib());
}

void search(const trace::Trace& t) {
  const double start = now();
  const causality::Computation c = causality::compute(t);
  const predict::Index index(c, witness::Model::Maximal);
  const auto candidates =
      predict::race_candidates(t, c, predict::MustOrder(t, c), predict::FlagLocks(), predict::kMaxInstances, Budget());
  const Budget budget;
  std::size_t yes = 0, no = 0, undecided = 0;
  for (const predict::RaceCandidate& candidate : candidates) {
    predict::Question question;
    question.before = {c.step_of_event[candidate.instances[0].first], c.step_of_event[candidate.instances[0].second]};
    const auto limits = predict::limits_of(index, question);
    const predict::Window window{0, static_cast<causality::StepId>(c.steps.size()),
                                 std::vector<std::uint32_t>(c.threads.size(), 0)};
    const auto answer = predict::search(index, question, window, *limits, Deadline(budget, 10));
    ++(answer.truth == predict::Truth::Yes ? yes : answer.truth == predict::Truth::No ? no : undecided);
  }
  std::printf("{\"events\": %zu, \"steps\": %zu, \"seconds\": %.4f, \"candidates\": %zu, \"yes\": %zu, \"no\": %zu, "
              "\"undecided\": %zu, \"peak_kib\": %ld}\n",
              t.events.size(), c.steps.size(), since(start), candidates.size(), yes, no, undecided, peak_kib());
}

} // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  const auto number = [&](int i) { return static_cast<std::size_t>(std::strtoull(words[i], nullptr, 10)); };
  if (what == "linear" && count == 4) linear(generate(number(2), static_cast<std::uint32_t>(number(3))));
  else if (what == "races" && count == 5) races(generate(number(2), static_cast<std::uint32_t>(number(3))), number(4));
  else if (what == "search" && count == 4) search(generate(number(2), static_cast<std::uint32_t>(number(3))));
  else if (what == "file" && count == 4) {
    auto t = trace::read_trace(words[2]);
    if (!t) return std::fprintf(stderr, "%s\n", t.error().text().c_str()), 1;
    races(std::move(*t), number(3));
  } else return std::fprintf(stderr, "see the head of bench/predict/measure.cc\n"), 2;
  return 0;
}
