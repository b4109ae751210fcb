#include "trace/program/elf_image.h"

#include <algorithm>
#include <cstring>

namespace sooth::trace {

namespace {

using Bytes = std::span<const std::uint8_t>;

template <typename Row>
bool read_row(Bytes bytes, std::uint64_t offset, Row& out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof out) return false;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return true;
}

// The zero-terminated text at an offset; empty if it is not there.
std::string_view text_at(Bytes strings, std::uint64_t offset) {
  if (offset >= strings.size()) return {};
  const char* text = reinterpret_cast<const char*>(strings.data()) + offset;
  return {text, strnlen(text, strings.size() - offset)};
}

} // namespace

std::optional<ElfImage> ElfImage::read(Bytes file) {
  ElfImage image(file);
  if (!image.read()) return std::nullopt;
  return image;
}

bool ElfImage::read() {
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

std::optional<ElfImage::Range> ElfImage::section(std::string_view name) const {
  for (const Elf64_Shdr& section : sections_)
    if (text_at(names_, section.sh_name) == name) return Range{section.sh_addr, section.sh_size};
  return std::nullopt;
}

std::vector<std::uint8_t> ElfImage::at(std::uint64_t address, std::uint64_t size) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (address < segment.p_vaddr || address - segment.p_vaddr > segment.p_filesz) continue;
    const std::uint64_t inside = address - segment.p_vaddr;
    if (segment.p_filesz - inside < size || segment.p_offset > file_.size()) continue;
    if (file_.size() - segment.p_offset < inside || file_.size() - segment.p_offset - inside < size) continue;
    const Bytes found = file_.subspan(segment.p_offset + inside, size);
    std::vector<std::uint8_t> bytes(found.begin(), found.end());
    // Differences, not sums: in a damaged file, a sum with an address may overflow.
    for (auto r = relocations_.lower_bound(address); r != relocations_.end(); ++r) {
      if (size < 8 || r->first - address > size - 8) break;
      std::memcpy(bytes.data() + (r->first - address), &r->second, 8);
    }
    return bytes;
  }
  return {};
}

std::vector<std::string> ElfImage::dynamic(std::int64_t tag) const {
  std::vector<std::string> out;
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_DYNAMIC) continue;
    const Bytes rows = contents(section), strings = linked(section);
    Elf64_Dyn row;
    for (std::uint64_t offset = 0; read_row(rows, offset, row) && row.d_tag != DT_NULL; offset += sizeof row)
      if (row.d_tag == tag) out.emplace_back(text_at(strings, row.d_un.d_val));
  }
  return out;
}

bool ElfImage::imports(std::string_view function) const {
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_DYNSYM) continue;
    const Bytes rows = contents(section), strings = linked(section);
    Elf64_Sym row;
    for (std::uint64_t offset = 0; read_row(rows, offset, row); offset += sizeof row)
      if (row.st_shndx == SHN_UNDEF && text_at(strings, row.st_name) == function) return true;
  }
  return false;
}

Bytes ElfImage::contents(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file_.size()) return {};
  return file_.subspan(section.sh_offset, std::min<std::uint64_t>(section.sh_size, file_.size() - section.sh_offset));
}

Bytes ElfImage::linked(const Elf64_Shdr& section) const {
  return section.sh_link < sections_.size() ? contents(sections_[section.sh_link]) : Bytes{};
}

// Position-independent programs have their addresses in these rows, not in place.
void ElfImage::add_relocations(const Elf64_Shdr& section) {
  const Bytes rows = contents(section), symbols = linked(section);
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

} // namespace sooth::trace
