#include "trace/file/metadata.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>

#include "trace/program/process_text.h"
#include "trace/program/type_facts.h"

namespace sooth::trace {
namespace {

// String numbers are dense; a larger one must be damage.
constexpr std::uint32_t kMaxStrings = 1u << 20;

template <typename Row>
Row row_at(std::span<const std::uint8_t> bytes, std::uint64_t offset) {
  Row row;
  std::memcpy(&row, bytes.data() + offset, sizeof row);
  return row;
}

class ModuleReader {
public:
  ModuleReader(std::span<const std::uint8_t> body, Trace& trace, SiteMap& sites)
      : body_(body), trace_(trace), sites_(sites) {}

  bool read() {
    if (body_.size() < sizeof(ModuleHeader)) return false;
    const auto header = row_at<ModuleHeader>(body_, 0);
    const std::uint64_t site_rows = sizeof header;
    const std::uint64_t global_rows = site_rows + std::uint64_t{header.sites} * sizeof(SiteRow);
    const std::uint64_t strings = global_rows + std::uint64_t{header.globals} * sizeof(GlobalRow);
    const std::uint64_t facts = strings + header.string_bytes;
    if (facts + header.fact_bytes > body_.size()) return false;
    strings_ = body_.subspan(strings, header.string_bytes);
    const auto first_site = static_cast<std::uint32_t>(trace_.sites.size());
    if (header.sites != 0) {
      sites_.add(header.first_site, header.sites, static_cast<std::uint32_t>(trace_.sites.size()));
      for (std::uint64_t i = 0; i < header.sites; ++i)
        add_site(row_at<SiteRow>(body_, site_rows + i * sizeof(SiteRow)));
    }
    for (std::uint64_t i = 0; i < header.globals; ++i)
      add_global(row_at<GlobalRow>(body_, global_rows + i * sizeof(GlobalRow)));
    const auto rest =
        take_dependence(body_.subspan(facts, header.fact_bytes), first_site, header.sites, trace_.static_facts);
    add_facts(rest, header.sites, header.globals);
    return true;
  }

private:
  void add_site(const SiteRow& row) {
    trace_.sites.push_back(
        {string(row.file), row.line, row.column, string(row.function), string(row.variable), row.flags});
  }
  void add_global(const GlobalRow& row) {
    trace_.globals.push_back({row.address, row.bytes, string(row.name), string(row.type), string(row.file), row.line});
  }
  // The module's sites and globals are the last ones of the trace; until all are sorted, the
  // globals, too.
  void add_facts(std::span<const std::uint8_t> facts, std::uint32_t sites, std::uint32_t globals) {
    const auto rest = take_type_facts(
        facts, std::span(trace_.sites).last(sites), std::span(trace_.globals).last(globals),
        [this](std::uint32_t offset) { return string(offset); }, trace_);
    if (!rest.empty()) trace_.facts.push_back(rest);
  }
  // A hostile table could name one long string from every row; no name of a source is that long.
  std::string string(std::uint32_t offset) const {
    constexpr std::size_t kLongest = 1u << 12;
    if (offset >= strings_.size()) return {};
    const char* begin = reinterpret_cast<const char*>(strings_.data()) + offset;
    return std::string(begin, strnlen(begin, std::min(kLongest, strings_.size() - offset)));
  }

  std::span<const std::uint8_t> body_;
  std::span<const std::uint8_t> strings_;
  Trace& trace_;
  SiteMap& sites_;
};

bool read_initial(std::span<const std::uint8_t> body, Trace& trace) {
  if (body.size() < sizeof(std::uint64_t)) return false;
  const auto rows = row_at<std::uint64_t>(body, 0);
  body = body.subspan(sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < rows; ++i) {
    if (body.size() < sizeof(InitialRow)) return false;
    const auto row = row_at<InitialRow>(body, 0);
    body = body.subspan(sizeof(InitialRow));
    if (row.bytes > kMaxInitial || round_up(row.bytes, 8) > body.size()) return false;
    trace.initial.push_back({row.address, {body.begin(), body.begin() + static_cast<std::ptrdiff_t>(row.bytes)}});
    body = body.subspan(round_up(row.bytes, 8));
  }
  trace.initial_known = true;
  return true;
}

bool read_strings(std::span<const std::uint8_t> body, Trace& trace) {
  while (!body.empty()) {
    if (body.size() < 8) return false;
    const auto number = row_at<std::uint32_t>(body, 0);
    const auto length = row_at<std::uint32_t>(body, 4);
    body = body.subspan(8);
    if (length > body.size() || number >= kMaxStrings) return false;
    if (number >= trace.strings.size()) trace.strings.resize(number + 1);
    trace.strings[number].assign(body.begin(), body.begin() + length);
    body = body.subspan(length);
  }
  return true;
}

} // namespace

bool read_module(std::span<const std::uint8_t> body, Trace& trace, SiteMap& sites) {
  return ModuleReader(body, trace, sites).read();
}

void SiteMap::add(std::uint32_t first, std::uint32_t count, std::uint32_t index) {
  ranges_.push_back({first, count, index});
}

void SiteMap::finish() {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return std::tie(a.first, a.index) < std::tie(b.first, b.index); });
}

std::uint32_t SiteMap::index_of(std::uint32_t number) const {
  if (number - last_.first < last_.count) return last_.index + (number - last_.first);
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), number,
                                [](std::uint32_t n, const Range& r) { return n < r.first; });
  if (after == ranges_.begin()) return 0;
  const Range& range = *std::prev(after);
  if (number - range.first >= range.count) return 0;
  last_ = range;
  return range.index + (number - range.first);
}

void read_file_header(const FileHeader& header, Trace& trace) {
  ProcessInfo& process = trace.process;
  trace.flags = header.flags;
  process.pid = header.pid;
  process.parent_pid = header.parent_pid;
  process.start_time_ns = header.start_time_ns;
  process.end_time_ns = header.end_time_ns;
  process.end = header.end_kind <= static_cast<std::uint32_t>(EndKind::Signal) ? static_cast<EndKind>(header.end_kind)
                                                                               : EndKind::Running;
  process.end_value = header.end_value;
  std::copy(std::begin(header.defects), std::end(header.defects), std::begin(trace.defects));
  for (std::size_t i = 0; i < std::size(header.unsupported); ++i) {
    const char* name = header.unsupported[i];
    const std::size_t length = strnlen(name, sizeof header.unsupported[i]);
    if (length != 0) process.unsupported.emplace_back(std::string(name, length), header.unsupported_calls[i]);
  }
}

void read_metadata(const std::vector<Chunk>& chunks, Trace& trace, SiteMap& sites) {
  trace.sites.assign(1, Site{});
  trace.types.assign(1, Type{});
  trace.all_names_known = true; // unless a module says otherwise
  std::size_t modules = 0;
  for (const Chunk& chunk : chunks) {
    bool good = true;
    switch (static_cast<ChunkType>(chunk.header.type)) {
    case ChunkType::Module: good = read_module(chunk.body, trace, sites), ++modules; break;
    case ChunkType::Strings: good = read_strings(chunk.body, trace); break;
    case ChunkType::Initial: good = read_initial(chunk.body, trace); break;
    case ChunkType::Process:
      read_process_text({reinterpret_cast<const char*>(chunk.body.data()), chunk.bytes}, trace);
      break;
    default: break;
    }
    if (good) continue;
    ++trace.defects[static_cast<unsigned>(Defect::DamagedChunks)];
    trace.defects[static_cast<unsigned>(Defect::DamagedBytes)] += sizeof(ChunkHeader) + chunk.bytes;
    trace.notes.push_back("chunk at offset " + hexadecimal(chunk.offset) + " is damaged (its rows do not fit in it)");
  }
  if (modules == 0) trace.all_names_known = false;
  sites.finish();
  sort_globals(trace);
  std::sort(trace.initial.begin(), trace.initial.end(), [](const InitialContents& a, const InitialContents& b) {
    return std::tie(a.address, a.bytes) < std::tie(b.address, b.bytes);
  });
}

void sort_globals(Trace& trace) {
  const auto key = [](const Global& g) {
    return std::tie(g.address, g.bytes, g.name, g.type, g.file, g.line, g.type_id);
  };
  std::sort(trace.globals.begin(), trace.globals.end(),
            [&](const Global& a, const Global& b) { return key(a) < key(b); });
}

} // namespace sooth::trace
