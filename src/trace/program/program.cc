#include "trace/program/program.h"

#include <cstring>
#include <sstream>

#include "trace/file/metadata.h"
#include "trace/program/elf_image.h"

namespace sooth::trace {
namespace {

// The pass collects the modules' descriptions in this section (src/capture/abi.h: SoothModule; the
// layout is repeated here, because the tools share nothing with the capturing half but the format).
constexpr std::string_view kSection = "sooth_modules";
struct ModuleRow {
  std::uint32_t version, sites;
  std::uint64_t site_rows, global_rows, strings, facts, base; // addresses
  std::uint32_t globals, string_bytes, fact_bytes, name, compiler_flags, reserved;
};
static_assert(sizeof(ModuleRow) == 72);

// A module as the body of the chunk that the runtime would write for it.
bool add_module(const ElfImage& image, const ModuleRow& row, std::uint32_t first_site, Trace& trace, SiteMap& sites) {
  const ModuleHeader header = {first_site,     row.sites, row.globals,        row.string_bytes,
                               row.fact_bytes, row.name,  row.compiler_flags, 0};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&header);
  std::vector<std::uint8_t> body(bytes, bytes + sizeof header);
  const auto add = [&](std::uint64_t address, std::uint64_t size) {
    const std::vector<std::uint8_t> part = image.at(address, size);
    body.insert(body.end(), part.begin(), part.end());
    return part.size() == size;
  };
  return add(row.site_rows, std::uint64_t{row.sites} * sizeof(SiteRow)) &&
         add(row.global_rows, std::uint64_t{row.globals} * sizeof(GlobalRow)) && add(row.strings, row.string_bytes) &&
         add(row.facts, row.fact_bytes) && read_module(body, trace, sites);
}

// False: the tables are damaged.
bool read_tables(const ElfImage& image, std::uint64_t file_bytes, Trace& trace) {
  trace.sites.assign(1, Site{});
  trace.types.assign(1, Type{});
  trace.all_names_known = true;
  const auto modules = image.section(kSection);
  if (!modules) return true;
  SiteMap sites;
  std::uint32_t next_site = kFirstSite;
  std::uint64_t claimed = 0;
  for (std::uint64_t at = 0; at < modules->size && modules->size - at >= sizeof(ModuleRow);) {
    const std::vector<std::uint8_t> bytes = image.at(modules->address + at, sizeof(ModuleRow));
    ModuleRow row;
    if (bytes.size() != sizeof row) break;
    std::memcpy(&row, bytes.data(), sizeof row);
    if (row.version == 0) { // room between two rows
      at += 8;
      continue;
    }
    // Tables do not overlap: rows that claim more than the whole file together are not tables.
    claimed += std::uint64_t{row.sites} * sizeof(SiteRow) + std::uint64_t{row.globals} * sizeof(GlobalRow) +
               row.string_bytes + row.fact_bytes;
    if (claimed > file_bytes || !add_module(image, row, next_site, trace, sites)) return false;
    next_site += row.sites;
    at += sizeof row;
  }
  sites.finish();
  sort_globals(trace);
  return true;
}

} // namespace

Result<ProgramFile> read_program_bytes(std::span<const std::uint8_t> file, const std::string& name) {
  const auto image = ElfImage::read(file);
  if (!image) return Error{"this is no 64-bit ELF program", name};
  ProgramFile out;
  out.program.tables.process.program = name;
  out.program.instrumented = image->section(kSection).has_value();
  out.program.may_grow = image->imports("dlopen") || image->imports("dlmopen");
  out.libraries = image->dynamic(DT_NEEDED);
  for (const auto tag : {DT_RPATH, DT_RUNPATH}) // a file has one of them at most
    for (const std::string& list : image->dynamic(tag)) {
      std::istringstream folders(list);
      for (std::string folder; std::getline(folders, folder, ':');)
        if (!folder.empty()) out.folders.push_back(std::move(folder));
    }
  if (!read_tables(*image, file.size(), out.program.tables)) return Error{"the program's tables are damaged", name};
  return out;
}

} // namespace sooth::trace
