#include "analysis/suggestions.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "report/object_names.h"
#include "trace/kind_groups.h"
#include "trace/place_names.h"

namespace sooth::analysis {

namespace {

constexpr std::size_t kShown = 3;

struct Access {
  std::string name, place; // "`balance`", " at bank.cpp:12"
};

// What lies in a system header has the program's line that calls it, and no name that says much.
Access access_at(const trace::Trace& trace, std::uint32_t number) {
  const trace::Site& site = trace.sites[number < trace.sites.size() ? number : 0];
  const bool system = (site.flags & trace::kSiteSystem) != 0;
  const std::string name = system ? "" : report::member_name(site.variable, site.function);
  const auto place = trace::user_place_of_site(trace, number);
  const std::string file = place ? std::filesystem::path(place->file).filename().string() : "";
  return {name.empty() ? "a variable" : "`" + name + "`",
          file.empty() || place->line == 0 ? "" : fmt::format(" at {}:{}", file, place->line)};
}

// "`deposit(int)`", and the words of the command line that ask about it
std::string subject(const std::string& function) { return function.empty() ? "a block" : "`" + function + "`"; }
std::string question(const std::string& function) {
  const bool plain = !function.empty() && function.find_first_of("$'{<") == std::string::npos;
  return plain ? fmt::format("--atomic '{}' checks it", function.substr(0, function.find('(')))
               : "marked with SOOTH_ATOMIC, it is checked";
}

std::string update(const std::string& function, const Access& read, const Access& write) {
  const bool same = read.name == write.name;
  return fmt::format("{} reads {}{} and writes {}{}, in two critical sections: what another thread writes in between "
                     "is lost ({})",
                     subject(function), read.name, read.place, same ? "it" : write.name, write.place,
                     question(function));
}
std::string two_changes(const std::string& function, const Access& first, const Access& last) {
  return fmt::format("{} changes {}{} and {}{}, in two critical sections: another thread may come between, when only "
                     "one of them is changed ({})",
                     subject(function), first.name, first.place, last.name, last.place, question(function));
}

template <typename Block, typename Sentence>
std::string joined(const std::vector<Block>& blocks, Sentence&& sentence) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(kShown, blocks.size()); ++i) out.push_back(sentence(blocks[i]));
  return fmt::format("{}", fmt::join(out, "; "));
}

} // namespace

std::string in_words(const trace::Trace& trace, const std::vector<survey::SplitUpdate>& blocks) {
  return joined(blocks, [&](const survey::SplitUpdate& block) {
    return update(block.function, access_at(trace, block.read), access_at(trace, block.write));
  });
}

std::string in_words(const trace::Trace& trace, const std::vector<predict::Suggestion>& blocks) {
  return joined(blocks, [&](const predict::Suggestion& block) {
    const trace::Event &first = trace.events[block.places[0].event], &last = trace.events[block.places[1].event];
    const Access a = access_at(trace, first.site), b = access_at(trace, last.site);
    return trace::writes_memory(first.kind) ? two_changes(block.function, a, b) : update(block.function, a, b);
  });
}

} // namespace sooth::analysis
