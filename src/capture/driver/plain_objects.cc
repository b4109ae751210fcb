#include "capture/driver/plain_objects.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "capture/plain_note.h"

namespace sooth::driver {

namespace fs = std::filesystem;

namespace {

using Bytes = std::span<const char>;

constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 30; // bytes; larger files are not looked at

template <typename T>
bool read_at(Bytes file, std::uint64_t offset, T& out) {
  if (offset > file.size() || file.size() - offset < sizeof out) return false;
  std::memcpy(&out, file.data() + offset, sizeof out);
  return true;
}

std::string_view text_of(Bytes file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size() ||
      section.sh_size > file.size() - section.sh_offset)
    return {};
  return {file.data() + section.sh_offset, section.sh_size};
}

// Among texts with a zero behind each.
bool has_word(std::string_view texts, std::string_view word) {
  while (!texts.empty()) {
    const std::size_t end = std::min(texts.find('\0'), texts.size());
    if (texts.substr(0, end) == word) return true;
    texts.remove_prefix(std::min(end + 1, texts.size()));
  }
  return false;
}

// A relocatable object that has code, and no identification of ours.
bool is_plain_object(Bytes file) {
  Elf64_Ehdr header;
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_REL)
    return false;
  Elf64_Shdr names_section;
  if (!read_at(file, header.e_shoff + std::uint64_t{header.e_shstrndx} * sizeof names_section, names_section))
    return false;
  const std::string_view names = text_of(file, names_section);
  bool has_code = false;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_at(file, header.e_shoff + i * sizeof section, section)) return false;
    has_code = has_code || ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_size != 0);
    constexpr std::string_view kComment = ".comment";
    if (section.sh_name >= names.size() || !names.substr(section.sh_name).starts_with(kComment)) continue;
    if (has_word(text_of(file, section), capture::kIdentification)) return false;
  }
  return has_code;
}

// The members of an archive stand one after the other, each behind a header of 60 bytes.
bool has_plain_member(Bytes file) {
  constexpr std::size_t kMagic = 8, kHeader = 60, kSizeAt = 48, kSizeDigits = 10;
  for (std::size_t at = kMagic; at + kHeader <= file.size();) {
    std::uint64_t size = 0;
    const char* digits = file.data() + at + kSizeAt;
    if (std::from_chars(digits, digits + kSizeDigits, size).ec != std::errc()) return false;
    const std::size_t begin = at + kHeader;
    if (size > file.size() - begin) return false;
    if (is_plain_object(file.subspan(begin, size))) return true;
    at = begin + size + size % 2;
  }
  return false;
}

bool is_plain(const std::string& input) {
  std::error_code problem;
  const std::string extension = fs::path(input).extension().string();
  if (extension == ".s" || extension == ".S" || extension == ".sx") return true;
  if (!fs::is_regular_file(input, problem) || fs::file_size(input, problem) > kLargest || problem) return false;
  std::ifstream in(input, std::ios::binary);
  char magic[8] = {};
  if (!in.read(magic, sizeof magic)) return false;
  const bool is_archive = std::memcmp(magic, "!<arch>\n", sizeof magic) == 0;
  if (!is_archive && std::memcmp(magic, ELFMAG, SELFMAG) != 0) return false;
  in.seekg(0);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return is_archive ? has_plain_member(bytes) : is_plain_object(bytes);
}

} // namespace

std::vector<std::string> plain_objects(const std::vector<std::string>& inputs) {
  std::vector<std::string> out;
  for (const std::string& input : inputs) {
    std::string name = fs::path(input).filename().string();
    if (std::ranges::find(out, name) == out.end() && is_plain(input)) out.push_back(std::move(name));
  }
  return out;
}

std::string note_text(const std::vector<std::string>& names) {
  std::string bytes;
  std::size_t length = 0;
  const auto add = [&](unsigned char c) { bytes += (length++ == 0 ? "" : ",") + std::to_string(c); };
  for (const std::string& name : names) {
    for (const char c : name) add(static_cast<unsigned char>(c));
    add(0);
  }
  return "\t.section .note.GNU-stack,\"\",@progbits\n"
         "\t.section .note.sooth,\"a\",@note\n"
         "\t.p2align 2\n"
         "\t.long " +
         std::to_string(sizeof capture::kNoteOwner) + ", " + std::to_string(length) + ", " +
         std::to_string(capture::kPlainObjects) + "\n\t.asciz \"" + capture::kNoteOwner + "\"\n\t.p2align 2\n\t.byte " +
         bytes + "\n\t.p2align 2\n";
}

} // namespace sooth::driver
