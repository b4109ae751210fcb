#include "cli/observing.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "analysis/options.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal/terminal.h"
#include "cli/watch.h"
#include "logic/syntax/syntax.h"
#include "report/json.h"
#include "report/terminal/printable.h"
#include "report/text.h"

namespace sooth::cli {
namespace {

// The findings alone, without a summary: the program still runs.
std::string finding_text(const report::Report& report) {
  return report::findings_text(report, text_options(report::Detail::Usual));
}

} // namespace

std::string check_observed_model(const std::string& model) {
  analysis::Options named;
  named.model = model;
  if (std::string wrong = analysis::check(named); !wrong.empty()) return wrong;
  if (model.empty() || model == "hb") return "";
  return fmt::format("`--model {}` needs a recorded run: while a program runs, other runs are those of hb.", model);
}

std::optional<Error> take_memory(const ObserveOptions& options, std::uint64_t& most_bytes) {
  if (options.memory.empty()) return std::nullopt;
  analysis::Options limits;
  limits.memory = options.memory;
  if (const std::string wrong = analysis::check(limits); !wrong.empty()) return Error{wrong};
  most_bytes = analysis::memory_limit(limits);
  return std::nullopt;
}

explore::Options lattice_options(const ObserveOptions& options) {
  explore::Options out;
  out.max_width = options.max_width;
  out.path_steps = options.path_steps;
  return out;
}

Result<observe::ServerOptions> server_options(const ObserveOptions& options) {
  if (options.property.empty()) return Error{kNothingToObserve};
  observe::ServerOptions out;
  out.once = options.once;
  out.token = options.token;
  if (const char* token = std::getenv("SOOTH_TOKEN"); out.token.empty() && token != nullptr) out.token = token;
  if (out.token.size() > observe::wire::kMaxText)
    return Error{fmt::format("the token is longer than {} bytes.", observe::wire::kMaxText), "", 0, 0};
  if (const auto error = take_memory(options, out.most_bytes)) return *error;
  if (!options.memory.empty()) out.program.most_bytes = out.most_bytes;
  out.program.lattice = lattice_options(options);
  const auto syntax = logic::parse_file(options.property);
  if (!syntax) return syntax.error();
  out.program.property_text = syntax.value().text;
  out.program.property_name = options.property;
  return out;
}

observe::ServerSpeaker Verdicts::speaker() {
  return {
      [](const observe::ObservedProgram&, const report::Report& report) { print_error_text(finding_text(report)); },
      [](const std::string& note) { complain(note); },
      [this](const observe::ObservedProgram& program) {
        report::Report report = program.report();
        report.version = SOOTH_VERSION;
        if (program.refused()) {
          complain(program.refusal()->text());
          refused_ = true;
        }
        print_error_text(fmt::format("sooth: {} ({}) has ended\n{}", report::printable(report.program),
                                     program.hello().pid, report::summary(report)));
        reports_.push_back(std::move(report));
      },
  };
}

int Verdicts::finish() {
  if (!options_.json.empty()) {
    std::string text;
    for (const report::Report& report : reports_) text += (text.empty() ? "" : ",\n") + report::json(report);
    if (reports_.size() != 1) text = "[" + text + "]\n";
    std::ofstream file(options_.json, std::ios::binary);
    file << text;
    if (!file.flush()) {
      complain(fmt::format("cannot write {}.", options_.json));
      return kWrong;
    }
  }
  for (const report::Report& report : reports_)
    if (!report.findings.empty()) return options_.exit_code >= 0 ? options_.exit_code : kFound;
  return refused_ ? kWrong : kFine;
}

Result<OnlineRun> run_online(const std::vector<std::string>& command, const ObserveOptions& options,
                             const std::string& socket_folder) {
  auto wanted = server_options(options);
  if (!wanted) return wanted.error();
  const std::string token = wanted->token;
  Verdicts verdicts(options);
  observe::Server server(*std::move(wanted), verdicts.speaker());
  observe::Address address;
  address.path = socket_folder + "/observer";
  if (const auto listening = server.listen(address); !listening) return listening.error();
  std::thread observer([&] { server.run(); });
  Watch watch({options.timeout, "", false, {}});
  const auto ended = launch(command, {{{"SOOTH_OBSERVER", address.text()}, {"SOOTH_TOKEN", token}}}, std::ref(watch));
  server.stop_when_idle();
  observer.join();
  if (!ended) return ended.error();
  return OnlineRun{verdicts.finish(), ended.value(), watch.timed_out()};
}

} // namespace sooth::cli
