// Writes the seeds of fuzz_reader into a folder: small files with every kind of chunk and every shape of event.
#include <cstdio>
#include <fstream>
#include <string>

#include "trace/program/inline_facts.h"
#include "trace/program/static_facts.h"
#include "unit/raw_file.h"

using namespace sooth::trace;
using namespace sooth::test;

namespace {

constexpr std::uint64_t x = 0x1000;

Slots every_kind() {
  Slots slots;
  std::uint64_t ticket = 1;
  for (const EventKind kind : all_kinds()) {
    if (kind == EventKind::AtomicRmw) continue;
    const bool memory = reads_memory(kind) || writes_memory(kind);
    if (kind_is_ticketed(kind)) slots.push_back(ticketed(kind, x, 8, ticket++, memory ? 8 : 0));
    else slots.push_back(plain(kind, x, 8, ticket, memory ? 8 : 0));
  }
  return slots;
}

Slots every_shape() {
  Slots slots = range(EventKind::Write, x, std::vector<std::uint8_t>(100, 7), 1);
  const auto add = [&](const Slots& more) { slots.insert(slots.end(), more.begin(), more.end()); };
  add(rmw(x, {7, 7, 7, 7}, {1, 2, 3, 4}, 2));
  add(rmw(x + 16, std::vector<std::uint8_t>(16, 7), std::vector<std::uint8_t>(16, 8), 3));
  RawEvent fill = plain(EventKind::Write, x + 32, 9000 | std::uint64_t{5} << 56, 3);
  fill.flags = kFill;
  RawEvent opaque = plain(EventKind::Read, x, 70000, 3);
  opaque.flags = kOpaque;
  RawEvent held = write(x, 1, 3);
  held.flags = kHeld;
  add({fill, opaque, held, read(x + 40, 0x05050505, 3), read(x + 1, 9, 3, 2)});
  return slots;
}

// Static facts with every field in use.
std::vector<std::uint8_t> every_fact() {
  using Facts = StaticFactsBuilder;
  Facts facts;
  const std::uint32_t f = facts.add_function(1, 2, {Facts::load(2), Facts::parameter(1)});
  facts.add_site(2, f, SiteRole::Load).other_writes = facts.members({3, 4});
  facts.add_site(3, f, SiteRole::Branch).condition = facts.sources({Facts::every_load(2), Facts::unknown()});
  SiteFacts& call = facts.add_site(4, f, SiteRole::Call);
  call.effect = CallEffect::Other;
  call.flags = kMayNotReturn;
  call.callee = 77;
  call.target = facts.sources({Facts::parameter(0)});
  call.arguments = {facts.sources({Facts::branch(3)}), 0};
  call.value = call.address = facts.sources({Facts::result_of(4)});
  facts.set_control(4, {3});
  StaticFacts all = facts.take();
  all.functions_left_out = 3;
  return make_dependence(all);
}

// Three inlined calls, two of them one in the other.
std::vector<std::uint8_t> inlined() {
  Trace trace;
  trace.sites.resize(3);
  trace.sites[1].inlined_at = 2;
  trace.sites[2].inlined_at = 3;
  trace.inlined_calls = {{}, {"a.cpp", 9, 1, "main", 0, 0}, {"a.cpp", 5, 1, "g", 0, 1}, {"a.cpp", 8, 1, "main", 0, 0}};
  StringTable strings;
  return make_inline_facts(trace, strings);
}

void save(const std::string& folder, const std::string& name, const RawFile& file) {
  const std::vector<std::uint8_t> bytes = file.bytes();
  std::ofstream out(folder + "/" + name, std::ios::binary);
  out.put('\1'); // checksums are put right
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

} // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: fuzz_reader_seeds FOLDER\n");
    return 2;
  }
  const std::string folder = arguments[1];
  save(folder, "empty", RawFile());
  save(folder, "kinds", RawFile().events(0, every_kind()));
  save(folder, "shapes", RawFile().events(0, every_shape()));
  // Ranges that end with the address space, one of them shared with another thread.
  save(folder, "top",
       RawFile()
           .events(0, range(EventKind::Write, ~std::uint64_t{0} - 40, std::vector<std::uint8_t>(40, 7), 1))
           .events(1, range(EventKind::Read, ~std::uint64_t{0} - 20, std::vector<std::uint8_t>(20, 7), 1)));
  save(folder, "live", RawFile().live(0, every_shape(), 32));
  save(folder, "twice",
       RawFile().live(0, every_kind(), 64, 0).events(0, every_kind(), 0).events(0, {write(x, 1, 9)}, 90));
  save(folder, "hole", RawFile().events(0, {write(x, 1, 1)}).zeros(256).events(0, {write(x, 2, 1)}, 5));
  save(folder, "names",
       RawFile()
           .module(kFirstSite, {{"a.cpp", 1, 2, "f()", "p->x", kSiteVolatile}}, {{x, 8, "x", "long", "a.cpp", 1}},
                   {1, 2, 3})
           .strings({"one", "two"})
           .process("program=demo\nargument=a\ndirectory=/\nlibrary=libc.so\nthread=0 0 1 main\nnote=told\n")
           .events(0, {read(x, 1, 1)}));
  save(folder, "facts",
       RawFile()
           .module(kFirstSite,
                   {{"a.cpp", 1, 2, "f()", "", kSiteFunction},
                    {"a.cpp", 2, 2, "f()", "x", 0},
                    {"a.cpp", 3, 2, "f()", "", kSiteBranch},
                    {"a.cpp", 4, 2, "f()", "g", kSiteCall}},
                   {}, every_fact())
           .events(0, {read(x, 1, 1)}));
  save(folder, "inlined",
       RawFile()
           .module(kFirstSite, {{"a.cpp", 1, 2, "f()", "x", 0}, {"a.cpp", 1, 2, "f()", "x", 0}}, {}, inlined())
           .events(0, {read(x, 1, 1)}));
  save(folder, "races",
       RawFile()
           .events(0, {ticketed(EventKind::AtomicWrite, x, 0, 1, 4), write(x, 1, 2), read(x + 8, 0, 3),
                       ticketed(EventKind::Signal, x, 0, 5)})
           .events(1, {ticketed(EventKind::Signal, x, 0, 3), write(x + 8, 1, 3), read(x, 0, 4), read(x, 1, 5)})
           .events(2, {plain(EventKind::Enter, 0, 0, 5), read(x + 8, 0, 5), read(x, 0, 6)}));
  RawFile frozen;
  frozen.header().flags = kFrozen;
  save(folder, "frozen",
       frozen.process("thread=0 0 1 main\nnote=told\n").events(0, every_shape()).events(1, every_kind()));
  return 0;
}
