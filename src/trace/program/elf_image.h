// An ELF file (64 bits, little-endian) as the memory that a loader would make of it. The file may
// have any bytes: malformed parts are treated as absent.
#pragma once

#include <cstdint>
#include <elf.h>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sooth::trace {

class ElfImage {
public:
  // Nothing if it is not such a file. The bytes must stay where they are.
  static std::optional<ElfImage> read(std::span<const std::uint8_t> file);

  struct Range {
    std::uint64_t address = 0;
    std::uint64_t size = 0;
  };
  std::optional<Range> section(std::string_view name) const;

  // `size` bytes at an address, with relocations applied; empty if the file does not have them.
  std::vector<std::uint8_t> at(std::uint64_t address, std::uint64_t size) const;

  // Strings of the dynamic section: DT_NEEDED, DT_RUNPATH, DT_RPATH, ...
  std::vector<std::string> dynamic(std::int64_t tag) const;
  // Whether it imports this function.
  bool imports(std::string_view function) const;

private:
  using Bytes = std::span<const std::uint8_t>;

  explicit ElfImage(Bytes file) : file_(file) {}
  bool read();
  Bytes contents(const Elf64_Shdr& section) const;
  Bytes linked(const Elf64_Shdr& section) const; // of the section that it names
  void add_relocations(const Elf64_Shdr& section);

  Bytes file_;
  std::uint16_t machine_ = 0;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  Bytes names_;
  std::map<std::uint64_t, std::uint64_t> relocations_; // address -> its contents
};

} // namespace sooth::trace
