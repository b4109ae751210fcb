// What a program's file says of itself, and of the libraries that it is linked to.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "trace/program/program.h"
#include "unit/elf_file.h"

namespace sooth::trace {
namespace {

namespace fs = std::filesystem;
using test::ElfFile;

std::vector<std::string> names_of(const Trace& tables) {
  std::vector<std::string> out;
  for (const Global& global : tables.globals) out.push_back(global.name);
  return out;
}

class Folder {
public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "sooth-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string save(const std::string& name, const ElfFile& file) const {
    const std::vector<std::uint8_t> bytes = file.bytes();
    fs::create_directories((path_ / name).parent_path());
    std::ofstream out(path_ / name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return (path_ / name).string();
  }

private:
  fs::path path_;
};

TEST(Programs, WhatIsNoneIsRefused) {
  const auto message = [](std::vector<std::uint8_t> bytes) {
    const auto read = read_program_bytes(bytes, "it");
    return read.ok() ? "" : read.error().text();
  };
  EXPECT_EQ(message({}), "it: this is no 64-bit ELF program");
  EXPECT_EQ(message({0x7f, 'E', 'L', 'F', 2, 1}), "it: this is no 64-bit ELF program");
  std::vector<std::uint8_t> header(64);
  const std::uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
  std::memcpy(header.data(), magic, sizeof magic);
  const auto plain = read_program_bytes(header, "it");
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(plain.value().program.instrumented);
}

TEST(Programs, TablesAreReadThroughRelocations) {
  ElfFile file;
  file.globals = {"counter", "net::state"};
  file.libraries = {"libparts.so"};
  file.folders = "$ORIGIN:/opt/lib";
  const auto read = read_program_bytes(file.bytes(), "it");
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_TRUE(read.value().program.instrumented);
  EXPECT_FALSE(read.value().program.may_grow);
  EXPECT_EQ(names_of(read.value().program.tables), (std::vector<std::string>{"counter", "net::state"}));
  EXPECT_EQ(read.value().program.tables.sites.at(1).function, "main()");
  EXPECT_EQ(read.value().libraries, file.libraries);
  EXPECT_EQ(read.value().folders, (std::vector<std::string>{"$ORIGIN", "/opt/lib"}));
}

TEST(Programs, ThatLoadLibrariesMayGrow) {
  ElfFile file;
  file.imports = {"malloc", "dlopen"};
  const auto read = read_program_bytes(file.bytes(), "it");
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read.value().program.may_grow);
}

// The address is so near the end of all addresses that adding to it begins anew at zero.
TEST(Programs, ARelocationAtTheLastAddressTouchesNothing) {
  ElfFile file;
  file.relocated = ~std::uint64_t{3};
  const auto read = read_program_bytes(file.bytes(), "it");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(names_of(read.value().program.tables), (std::vector<std::string>{"counter"}));
}

TEST(Programs, CutAnywhereGiveTablesOrAnError) {
  const std::vector<std::uint8_t> whole = ElfFile().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto read = read_program_bytes(std::span(whole).first(size), "it");
    if (read.ok()) {
      EXPECT_LE(read.value().program.tables.globals.size(), 1u) << size;
    }
  }
}

TEST(Programs, LibrariesAreFoundAndTheirVariablesKeptApart) {
  const Folder folder;
  ElfFile program, parts, deep, plain;
  program.libraries = {"libparts.so"};
  program.folders = "$ORIGIN/lib";
  parts.globals = {"parts", "counter"}; // `counter` is an inline variable: the same line of the same file
  parts.libraries = {"libplain.so"};
  plain.instrumented = false;
  plain.libraries = {"libdeep.so", "libparts.so"};
  deep.globals = {"deep"};
  folder.save("lib/libparts.so", parts);
  folder.save("lib/libplain.so", plain);
  folder.save("lib/libdeep.so", deep);
  const auto read = read_program(folder.save("program", program));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(names_of(read.value().tables), (std::vector<std::string>{"counter", "parts", "deep"}));
  EXPECT_FALSE(read.value().may_grow);
}

TEST(Programs, WithOnlyALibraryOfOursHaveItsTables) {
  const Folder folder;
  ElfFile program, parts;
  program.instrumented = false;
  program.libraries = {"libparts.so"};
  program.folders = "${ORIGIN}";
  folder.save("libparts.so", parts);
  const auto read = read_program(folder.save("program", program));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(names_of(read.value().tables), (std::vector<std::string>{"counter"}));
}

TEST(Programs, ALibraryThatIsNotFoundLeavesTheAnswerOpen) {
  const Folder folder;
  ElfFile program, plain;
  program.libraries = {"libnowhere-to-be-found.so"};
  const auto read = read_program(folder.save("program", program));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read.value().may_grow);
  plain.instrumented = false;
  const auto without = read_program(folder.save("plain", plain));
  ASSERT_FALSE(without.ok());
  EXPECT_NE(without.error().message.find("was not built with Sooth"), std::string::npos);
}

} // namespace
} // namespace sooth::trace
