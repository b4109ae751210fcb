#include "trace/program.h"

#include <elf.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include "trace/metadata.h"

namespace sooth::trace {
namespace {

// The pass collects the modules' descriptions in this section (src/capture/abi.h: SoothModule; the layout is repeated
// here, because the tools share nothing with the capturing half but the format).
constexpr std::string_view kSection = "sooth_modules";
struct ModuleRow {
  std::uint32_t version, sites;
  std::uint64_t site_rows, global_rows, strings, facts, base; // addresses
  std::uint32_t globals, string_bytes, fact_bytes, name, compiler_flags, reserved;
};
static_assert(sizeof(ModuleRow) == 72);

using Bytes = std::span<const std::uint8_t>;

template <typename Row>
bool read_row(Bytes bytes, std::uint64_t offset, Row& out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof out) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return true;
}

// An ELF file as memory: sections by name, bytes by address, with the relocations that a loader would apply.
class Image {
public:
  explicit Image(Bytes file) : file_(file) {}

  bool read() {
    Elf64_Ehdr header;
    if (!read_row(file_, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return false;
    machine_ = header.e_machine;
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      if (!read_row(file_, header.e_phoff + i * sizeof segment, segment)) break;
      if (segment.p_type == PT_LOAD) segments_.push_back(segment);
    }
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      if (!read_row(file_, header.e_shoff + i * sizeof section, section)) break;
      sections_.push_back(section);
    }
    if (header.e_shstrndx < sections_.size()) names_ = contents(sections_[header.e_shstrndx]);
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type == SHT_RELA) add_relocations(section);
    return true;
  }

  const Elf64_Shdr* section(std::string_view name) const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_name >= names_.size()) continue;
      const char* text = reinterpret_cast<const char*>(names_.data()) + section.sh_name;
      if (std::string_view(text, strnlen(text, names_.size() - section.sh_name)) == name) return &section;
    }
    return nullptr;
  }

  // `size` bytes at an address, with relocations applied; empty if the file does not have them.
  std::vector<std::uint8_t> at(std::uint64_t address, std::uint64_t size) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (address < segment.p_vaddr || address - segment.p_vaddr > segment.p_filesz) continue;
      const std::uint64_t inside = address - segment.p_vaddr;
      if (segment.p_filesz - inside < size || segment.p_offset > file_.size()) continue;
      if (file_.size() - segment.p_offset < inside || file_.size() - segment.p_offset - inside < size) continue;
      const Bytes found = file_.subspan(segment.p_offset + inside, size);
      std::vector<std::uint8_t> bytes(found.begin(), found.end());
      for (auto r = relocations_.lower_bound(address); r != relocations_.end() && r->first + 8 <= address + size; ++r)
        std::memcpy(bytes.data() + (r->first - address), &r->second, 8);
      return bytes;
    }
    return {};
  }

private:
  Bytes contents(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > file_.size()) return {};
    return file_.subspan(section.sh_offset, std::min<std::uint64_t>(section.sh_size, file_.size() - section.sh_offset));
  }

  // Position-independent programs have their addresses in these rows, not in place.
  void add_relocations(const Elf64_Shdr& section) {
    const Bytes rows = contents(section);
    const Bytes symbols = section.sh_link < sections_.size() ? contents(sections_[section.sh_link]) : Bytes{};
    Elf64_Rela row;
    for (std::uint64_t offset = 0; read_row(rows, offset, row); offset += sizeof row) {
      const std::uint64_t type = ELF64_R_TYPE(row.r_info);
      const bool x86 = machine_ == EM_X86_64, arm = machine_ == EM_AARCH64;
      if ((x86 && type == R_X86_64_RELATIVE) || (arm && type == R_AARCH64_RELATIVE)) {
        relocations_[row.r_offset] = static_cast<std::uint64_t>(row.r_addend);
      } else if ((x86 && type == R_X86_64_64) || (arm && type == R_AARCH64_ABS64)) {
        Elf64_Sym symbol;
        if (read_row(symbols, ELF64_R_SYM(row.r_info) * sizeof symbol, symbol))
          relocations_[row.r_offset] = symbol.st_value + static_cast<std::uint64_t>(row.r_addend);
      }
    }
  }

  Bytes file_;
  std::uint16_t machine_ = 0;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  Bytes names_;
  std::map<std::uint64_t, std::uint64_t> relocations_; // address -> what stands there
};

// A module as the body of the chunk that the runtime would write for it.
bool add_module(const Image& image, const ModuleRow& row, std::uint32_t first_site, Trace& trace, SiteMap& sites) {
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

} // namespace

Result<Trace> read_program(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{std::string("cannot read the program: ") + std::strerror(errno), path};
  const std::vector<char> text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return Error{"cannot read the program", path};
  return read_program_bytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, path);
}

Result<Trace> read_program_bytes(std::span<const std::uint8_t> file, const std::string& name) {
  Image image(file);
  if (!image.read()) return Error{"this is no 64-bit ELF program", name};
  const Elf64_Shdr* modules = image.section(kSection);
  if (modules == nullptr) return Error{"the program was not built with Sooth: it has no tables of its variables", name};

  Trace trace;
  trace.sites.assign(1, Site{});
  trace.types.assign(1, Type{});
  trace.all_names_known = true;
  trace.process.program = name;
  SiteMap sites;
  std::uint32_t next_site = kFirstSite;
  std::uint64_t claimed = 0;
  for (std::uint64_t at = 0; at < modules->sh_size && modules->sh_size - at >= sizeof(ModuleRow);) {
    const std::vector<std::uint8_t> bytes = image.at(modules->sh_addr + at, sizeof(ModuleRow));
    ModuleRow row;
    if (!read_row(bytes, 0, row)) break;
    if (row.version == 0) { // room between two rows
      at += 8;
      continue;
    }
    // Tables do not overlap: rows that claim more than the whole file together are no tables.
    claimed += std::uint64_t{row.sites} * sizeof(SiteRow) + std::uint64_t{row.globals} * sizeof(GlobalRow) +
               row.string_bytes + row.fact_bytes;
    if (claimed > file.size() || !add_module(image, row, next_site, trace, sites))
      return Error{"the program's tables are damaged", name};
    next_site += row.sites;
    at += sizeof row;
  }
  sites.finish();
  sort_globals(trace);
  return trace;
}

} // namespace sooth::trace
