// A program with the libraries that it is linked to, as far as they can be found without running
// it.
//
// The loader looks in the folders that the file names, in LD_LIBRARY_PATH, in its cache and in the
// system's folders. We skip the cache: it is for installed libraries. A library that is not found
// makes the answer open (Program::may_grow), not wrong.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "trace/file/metadata.h"
#include "trace/program/program.h"

namespace sooth::trace {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostLibraries = 1000;

Result<ProgramFile> read_file(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return Error{"this is a folder, not a program", path};
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error{std::string("cannot read the program: ") + std::strerror(errno), path};
  const std::vector<char> text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return Error{"cannot read the program", path};
  return read_program_bytes({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, path);
}

std::vector<std::string> system_folders() {
  std::vector<std::string> out;
  const char* chosen = std::getenv("LD_LIBRARY_PATH");
  std::istringstream folders(chosen != nullptr ? chosen : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty()) out.push_back(std::move(folder));
  for (const char* folder :
       {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
        "/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib"})
    out.emplace_back(folder);
  return out;
}

// `$ORIGIN/../lib`: $ORIGIN is the folder of the file that contains the path.
std::string expanded(std::string folder, const std::string& origin) {
  for (const std::string_view word : {"$ORIGIN", "${ORIGIN}"})
    if (const std::size_t at = folder.find(word); at != std::string::npos) folder.replace(at, word.size(), origin);
  return folder;
}

std::string find_library(const std::string& name, const std::vector<std::string>& folders) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) return fs::exists(name, ignored) ? name : std::string();
  for (const std::string& folder : folders)
    if (const fs::path candidate = fs::path(folder) / name; fs::exists(candidate, ignored)) return candidate.string();
  return {};
}

// An inline variable stands in the tables of every file that uses it; the running program has it
// once.
bool is_known(const Global& global, const Trace& trace) {
  return std::ranges::any_of(trace.globals, [&](const Global& other) {
    return other.name == global.name && other.file == global.file && other.line == global.line;
  });
}

// Renumbers the types of `from` behind those of `to`.
void append(Trace&& from, std::uint64_t moved, Trace& to) {
  const auto first_type = static_cast<std::uint32_t>(to.types.size()) - 1; // number 0 is shared
  const auto renumber = [&](std::uint32_t& type) { type += type != 0 ? first_type : 0; };
  for (std::size_t i = 1; i < from.types.size(); ++i) {
    Type& type = from.types[i];
    renumber(type.element);
    for (auto& member : type.members) renumber(member.type);
    to.types.push_back(std::move(type));
  }
  for (Global& global : from.globals) {
    if (is_known(global, to)) continue;
    global.address += moved;
    renumber(global.type_id);
    to.globals.push_back(std::move(global));
  }
  to.sites.insert(to.sites.end(), std::make_move_iterator(from.sites.begin() + 1),
                  std::make_move_iterator(from.sites.end()));
  to.names.insert(to.names.end(), std::make_move_iterator(from.names.begin()),
                  std::make_move_iterator(from.names.end()));
  to.all_names_known = to.all_names_known && from.all_names_known;
}

} // namespace

Result<Program> read_program(const std::string& path) {
  Result<ProgramFile> first = read_file(path);
  if (!first) return first.error();
  Program out = std::move(first->program);
  const std::vector<std::string> elsewhere = system_folders();
  std::set<std::string> seen;
  std::vector<std::string> own_folders; // the program's; searched after each file's own
  std::vector<std::pair<std::string, std::vector<std::string>>> waiting; // a library and where to look for it
  const auto add_libraries_of = [&](const ProgramFile& file, const std::string& of) {
    const std::string origin = fs::absolute(of).parent_path().string();
    std::vector<std::string> folders;
    folders.reserve(file.folders.size());
    for (const std::string& folder : file.folders) folders.push_back(expanded(folder, origin));
    if (of == path) own_folders = folders;
    folders.insert(folders.end(), own_folders.begin(), own_folders.end());
    folders.insert(folders.end(), elsewhere.begin(), elsewhere.end());
    for (const std::string& library : file.libraries)
      if (seen.size() < kMostLibraries && seen.insert(library).second) waiting.emplace_back(library, folders);
  };
  add_libraries_of(*first, path);
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    out.libraries.push_back(waiting[i].first);
    const std::string found = find_library(waiting[i].first, waiting[i].second);
    Result<ProgramFile> library = found.empty() ? Result<ProgramFile>(Error{}) : read_file(found);
    if (!library) {
      out.may_grow = true;
      continue;
    }
    add_libraries_of(*library, found);
    if (!library->program.instrumented) continue;
    out.instrumented = true;
    out.may_grow = out.may_grow || library->program.may_grow;
    append(std::move(library->program.tables), (i + 1) * kLibraryStep, out.tables);
  }
  if (!out.instrumented) return Error{"the program was not built with Sooth: it has no tables of its variables", path};
  sort_globals(out.tables);
  return out;
}

} // namespace sooth::trace
