#include "test_program.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace {

std::string with_folder(std::string text, const std::string& folder) {
  for (std::size_t at; (at = text.find("$DIR")) != std::string::npos;) text.replace(at, 4, folder);
  return text;
}

TestProgram read_program(const std::filesystem::path& path) {
  TestProgram program;
  program.path = path.string();
  program.name = path.stem().string();
  for (const std::string& line : lines_of(program.path)) {
    auto after = [&](const std::string& word, auto use) {
      const std::string start = "// " + word + ": ";
      if (line.starts_with(start)) use(with_folder(line.substr(start.size()), path.parent_path().string()));
    };
    after("FLAGS", [&](std::string text) { program.flags = text; });
    after("LIBRARIES", [&](std::string text) { program.libraries = text; });
    after("MLLVM", [&](std::string text) { program.pass_options = text; });
    after("LEVELS", [&](std::string text) { program.levels = text; });
    after("NO-RUN", [&](std::string) { program.run = false; });
    after("LOG", [&](std::string text) { program.expected.push_back(text); });
    after("LOG-NOT", [&](std::string text) { program.forbidden.push_back(text); });
    after("LOG-CELLS-COUNT", [&](std::string text) {
      const std::size_t space = text.find(' ');
      program.counted_with_cells.push_back({std::stoul(text.substr(0, space)), text.substr(space + 1)});
    });
  }
  return program;
}

} // namespace

std::vector<TestProgram> read_programs(const std::string& folder) {
  std::vector<TestProgram> programs;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".c" || entry.path().extension() == ".cpp")
      programs.push_back(read_program(entry.path()));
  std::sort(programs.begin(), programs.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return programs;
}

bool holds(const std::string& line, const std::string& text) {
  std::size_t from = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find("@@", at), text.size());
    const std::string piece = text.substr(at, end - at);
    const std::size_t found = line.find(piece, from);
    if (found == std::string::npos) return false;
    from = found + piece.size();
    at = end + 2;
  }
  return true;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Finished run_command(const std::string& command) {
  Finished finished{-1, ""};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return finished;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) != 0;) finished.output.append(buffer, n);
  finished.status = pclose(pipe);
  return finished;
}
