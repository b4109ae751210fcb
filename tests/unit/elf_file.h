// A small ELF file made by hand: what an instrumented program, or library, looks like to a reader of its tables.
#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <string>
#include <vector>

#include "trace/format.h"

namespace sooth::test {

struct ElfFile {
  std::vector<std::string> globals = {"counter"}; // each an int
  std::vector<std::string> libraries;             // DT_NEEDED
  std::string folders;                            // DT_RUNPATH
  std::vector<std::string> imports;               // functions that it wants from elsewhere
  bool instrumented = true;
  std::uint64_t relocated = 0; // another relocation, at this address

  static constexpr std::uint64_t kBase = 0x10000; // the address of the file's first byte

  std::vector<std::uint8_t> bytes() const {
    Builder b;
    b.blob(std::vector<std::uint8_t>(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)));
    std::vector<Elf64_Rela> relocations;
    if (instrumented) add_module(b, relocations);
    std::string names(1, '\0');
    std::vector<Elf64_Dyn> dynamic;
    const auto add_text = [&](const std::string& text) {
      const std::size_t at = names.size();
      names += text + '\0';
      return at;
    };
    for (const std::string& library : libraries) dynamic.push_back({DT_NEEDED, {add_text(library)}});
    if (!folders.empty()) dynamic.push_back({DT_RUNPATH, {add_text(folders)}});
    dynamic.push_back({DT_NULL, {0}});
    std::vector<Elf64_Sym> symbols(1);
    for (const std::string& import : imports) {
      Elf64_Sym symbol = {};
      symbol.st_name = static_cast<Elf64_Word>(add_text(import));
      symbols.push_back(symbol);
    }
    if (relocated != 0) relocations.push_back({relocated, ELF64_R_INFO(0, R_X86_64_RELATIVE), 1});
    const auto strings = static_cast<Elf64_Word>(b.sections.size());
    b.section(".dynstr", SHT_STRTAB, 0, b.blob({names.begin(), names.end()}), names.size());
    b.rows(".dynamic", SHT_DYNAMIC, strings, dynamic);
    const auto table = static_cast<Elf64_Word>(b.sections.size());
    b.rows(".dynsym", SHT_DYNSYM, strings, symbols);
    b.rows(".rela.dyn", SHT_RELA, table, relocations);
    return b.finish();
  }

private:
  // As src/capture/abi.h has it; the reader has a copy of its own, too.
  struct ModuleRow {
    std::uint32_t version = 1, sites = 0;
    std::uint64_t site_rows = 0, global_rows = 0, strings = 0, facts = 0, base = 0;
    std::uint32_t globals = 0, string_bytes = 0, fact_bytes = 0, name = 0, compiler_flags = 0, reserved = 0;
  };

  struct Builder {
    std::vector<std::uint8_t> file;
    std::vector<Elf64_Shdr> sections = std::vector<Elf64_Shdr>(1);
    std::string section_names = std::string(1, '\0');

    // Returns its offset.
    std::uint64_t blob(const std::vector<std::uint8_t>& bytes) {
      file.resize((file.size() + 7) / 8 * 8);
      const std::uint64_t at = file.size();
      file.insert(file.end(), bytes.begin(), bytes.end());
      return at;
    }
    template <typename Row>
    std::uint64_t blob_of(const std::vector<Row>& rows) {
      std::vector<std::uint8_t> bytes(rows.size() * sizeof(Row));
      if (!rows.empty()) std::memcpy(bytes.data(), rows.data(), bytes.size());
      return blob(bytes);
    }
    void section(const std::string& name, std::uint32_t type, std::uint32_t link, std::uint64_t at,
                 std::uint64_t size) {
      Elf64_Shdr row = {};
      row.sh_name = static_cast<Elf64_Word>(section_names.size());
      section_names += name + '\0';
      row.sh_type = type;
      row.sh_link = link;
      row.sh_addr = kBase + at;
      row.sh_offset = at;
      row.sh_size = size;
      sections.push_back(row);
    }
    template <typename Row>
    void rows(const std::string& name, std::uint32_t type, std::uint32_t link, const std::vector<Row>& all) {
      const std::uint64_t at = blob_of(all);
      section(name, type, link, at, all.size() * sizeof(Row));
    }
    std::vector<std::uint8_t> finish() {
      const auto names = static_cast<std::uint16_t>(sections.size());
      section(".shstrtab", SHT_STRTAB, 0, 0, 0);
      sections.back().sh_size = section_names.size();
      sections.back().sh_offset = blob({section_names.begin(), section_names.end()});
      Elf64_Ehdr header = {};
      std::memcpy(header.e_ident, ELFMAG, SELFMAG);
      header.e_ident[EI_CLASS] = ELFCLASS64;
      header.e_ident[EI_DATA] = ELFDATA2LSB;
      header.e_machine = EM_X86_64;
      header.e_phoff = sizeof header;
      header.e_phnum = 1;
      header.e_shoff = blob_of(sections);
      header.e_shnum = static_cast<std::uint16_t>(sections.size());
      header.e_shstrndx = names;
      Elf64_Phdr segment = {};
      segment.p_type = PT_LOAD;
      segment.p_vaddr = kBase;
      segment.p_filesz = segment.p_memsz = file.size();
      std::memcpy(file.data(), &header, sizeof header);
      std::memcpy(file.data() + sizeof header, &segment, sizeof segment);
      return file;
    }
  };

  // The addresses of the tables stand in relocations, as in a position-independent program.
  void add_module(Builder& b, std::vector<Elf64_Rela>& relocations) const {
    std::string strings(1, '\0');
    const auto add_text = [&](const std::string& text) {
      const auto at = static_cast<std::uint32_t>(strings.size());
      strings += text + '\0';
      return at;
    };
    trace::SiteRow site = {};
    site.line = 3;
    site.flags = trace::kSiteFunction;
    site.file = add_text("main.cpp");
    site.function = add_text("main()");
    std::vector<trace::GlobalRow> rows;
    for (const std::string& global : globals)
      rows.push_back({0x8000 + 16 * rows.size(), 4, add_text(global), add_text("int"), site.file, 1});
    ModuleRow module;
    module.sites = 1;
    module.globals = static_cast<std::uint32_t>(rows.size());
    module.string_bytes = static_cast<std::uint32_t>(strings.size());
    const std::uint64_t tables[] = {b.blob_of(std::vector{site}), b.blob_of(rows),
                                    b.blob({strings.begin(), strings.end()}), b.blob({0})};
    const std::uint64_t at = b.blob_of(std::vector{module});
    b.section("sooth_modules", SHT_PROGBITS, 0, at, sizeof module);
    for (std::size_t i = 0; i < 4; ++i)
      relocations.push_back(
          {kBase + at + 8 + 8 * i, ELF64_R_INFO(0, R_X86_64_RELATIVE), static_cast<Elf64_Sxword>(kBase + tables[i])});
  }
};

} // namespace sooth::test
