// Writes the seeds of fuzz_program into a folder: small programs and libraries with every table that is read.
#include <cstdio>
#include <fstream>
#include <string>

#include "unit/elf_file.h"

using sooth::test::ElfFile;

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: fuzz_program_seeds FOLDER\n");
    return 2;
  }
  const auto save = [&](const std::string& name, const ElfFile& file) {
    const std::vector<std::uint8_t> bytes = file.bytes();
    std::ofstream out(std::string(arguments[1]) + "/" + name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  ElfFile plain, program, library, odd;
  plain.instrumented = false;
  program.libraries = {"libparts.so", "libc.so.6"};
  program.folders = "$ORIGIN/../lib:/opt/lib";
  program.imports = {"malloc", "dlopen"};
  library.globals = {"net::state", "file.cpp:count", "f()::calls"};
  odd.relocated = ~std::uint64_t{3};
  save("plain", plain);
  save("program", program);
  save("library", library);
  save("odd", odd);
  return 0;
}
