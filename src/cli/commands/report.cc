// `sooth report`: the reports of a folder, in a browser on this machine.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/parser.h"
#include "cli/reports/serve.h"
#include "report/files/page.h"
#include "report/terminal/printable.h"

namespace sooth::cli {

namespace fs = std::filesystem;

namespace {

using Shelf = nlohmann::ordered_json;

constexpr std::string_view kReports = "/report/";

// One file of the folder.
struct Shelved {
  std::string name;
  std::string program;
  std::uint64_t findings = 0;
  bool complete = false;
  std::string problem; // why it cannot be shown; empty: it can
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? std::move(text).str() : std::string();
}

Shelved shelved(const fs::path& path) {
  Shelved out{path.filename().string(), "", 0, false, ""};
  if (path.extension() == ".sooth") {
    out.problem = fmt::format("a trace: `sooth check {0} --json {0}.json` makes a report of it", out.name);
    return out;
  }
  const nlohmann::json all = nlohmann::json::parse(text_of(path), nullptr, false);
  if (!all.is_object() || !all.contains("sooth") || !all.contains("findings") || !all["findings"].is_array()) {
    out.problem = "no report of Sooth";
    return out;
  }
  out.findings = all["findings"].size();
  const nlohmann::json::json_pointer name("/program/name"), complete("/coverage/complete");
  if (all.contains(name) && all[name].is_string()) out.program = all[name].get<std::string>();
  out.complete = all.contains(complete) && all[complete] == true;
  return out;
}

// The reports and traces of the folder, by name.
std::vector<fs::path> files_of(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator it(folder, problem), end; !problem && it != end; it.increment(problem)) {
    const std::string extension = it->path().extension().string();
    std::error_code ignored;
    if ((extension == ".json" || extension == ".sooth") && it->is_regular_file(ignored)) files.push_back(it->path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Shelved> shelf_of(const std::string& folder) {
  std::vector<Shelved> out;
  for (const fs::path& file : files_of(folder)) out.push_back(shelved(file));
  return out;
}

std::string path_of(const std::string& name) {
  std::string out(kReports);
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       letter == '.' || letter == '-' || letter == '_';
    out += plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return out;
}

std::string shelf_json(const std::string& folder) {
  Shelf reports = Shelf::array();
  for (const Shelved& one : shelf_of(folder)) {
    reports.push_back({{"path", path_of(one.name)},
                       {"name", one.name},
                       {"program", one.program},
                       {"findings", one.findings},
                       {"complete", one.complete}});
    if (!one.problem.empty()) reports.back()["problem"] = one.problem;
  }
  return Shelf({{"folder", folder}, {"reports", std::move(reports)}})
      .dump(1, ' ', false, Shelf::error_handler_t::replace);
}

std::string page_with(const std::string& json) {
  std::string out;
  report::page([&](const report::JsonSink& sink) { sink(json); },
               [&](std::string_view text) {
                 out += text;
                 return true;
               });
  return out;
}

std::optional<Answer> page_at(const std::string& path, const std::string& folder) {
  constexpr const char* kHtml = "text/html; charset=utf-8";
  if (path == "/") return Answer{kHtml, page_with(shelf_json(folder))};
  if (!path.starts_with(kReports)) return std::nullopt;
  const std::string name = path.substr(kReports.size());
  // Only names that the folder itself has: no way out of it.
  for (const fs::path& file : files_of(folder))
    if (file.filename() == name && shelved(file).problem.empty()) return Answer{kHtml, page_with(text_of(file))};
  return std::nullopt;
}

int list(const std::string& folder) {
  Output out;
  for (const Shelved& one : shelf_of(folder))
    out.print("{:<40} {}\n", report::printable(one.name),
              one.problem.empty() ? counted(one.findings, "finding") : report::printable(one.problem));
  return out.finish();
}

} // namespace

int run_report(int argc, char** argv) {
  std::string folder;
  unsigned port = 0;
  bool serve = false;
  Parser parser(
      "report",
      "List the reports (*.json, as --json writes them) of a folder, or with --serve show them in a browser:\n"
      "the page that --html writes, for each of them, on this machine alone.",
      "  sooth check bank.sooth --json reports/bank.json\n"
      "  sooth report reports\n"
      "  sooth report reports --serve --port 8000\n");
  parser.add_option("folder", folder, "The folder")->required()->type_name("DIR");
  parser.add_flag("--serve", serve, "Serve the pages on 127.0.0.1, until interrupted");
  parser.add_option("--port", port, "The port for --serve; 0: any that is free")
      ->type_name("N")
      ->show_default()
      ->within(0, 65535);
  if (const auto status = parser.parse_all(argc, argv)) return *status;
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) {
    complain(fmt::format("there is no folder {}.", folder));
    return kWrong;
  }
  if (!serve) return list(folder);
  if (!report::has_page()) {
    complain("--serve: " + std::string(report::kNoPage));
    return kWrong;
  }
  LocalServer server;
  const auto got = server.listen(static_cast<std::uint16_t>(port));
  if (!got) {
    complain(got.error().text());
    return kWrong;
  }
  {
    Output out;
    out.print("http://127.0.0.1:{}/\n", got.value());
    if (const int status = out.finish(); status != kFine) return status;
  }
  complain(server.run([&](const std::string& path) { return page_at(path, folder); }).text());
  return kWrong;
}

} // namespace sooth::cli
