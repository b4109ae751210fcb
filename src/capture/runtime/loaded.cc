#include "capture/runtime/loaded.h"

#include <link.h>

namespace sooth::runtime {
namespace {

struct Search {
  const char* library; // the program itself comes first
  std::uint64_t address, bytes;
  Loaded result = {};
};

bool is_file(const char* path, const char* name) {
  const auto last_part = [](const char* text) {
    const char* part = text;
    for (; *text != 0; ++text)
      if (*text == '/') part = text + 1;
    return part;
  };
  path = last_part(path);
  name = last_part(name);
  while (*path != 0 && *path == *name) ++path, ++name;
  return *path == *name;
}

int look_at(dl_phdr_info* info, std::size_t, void* context) {
  auto& search = *static_cast<Search*>(context);
  if (*search.library != 0 && !is_file(info->dlpi_name, search.library)) return 0;
  search.result.found = true;
  search.result.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && search.address >= segment.p_vaddr &&
        search.address - segment.p_vaddr + search.bytes <= segment.p_memsz)
      search.result.holds = true;
  }
  return 1;
}

} // namespace

Loaded find_loaded(const char* library, std::uint64_t address, std::uint64_t bytes) {
  Search search{library, address, bytes};
  dl_iterate_phdr(look_at, &search);
  return search.result;
}

} // namespace sooth::runtime
