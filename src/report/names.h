// The words for kinds, statuses, models and roles, shared by people, JSON and the command line: one
// table each.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "witness/finding.h"

namespace sooth::report {

struct KindRow {
  witness::FindingKind kind;
  std::string_view name;     // in JSON and in suppressions
  std::string_view headline; // for people
  std::string_view find;     // the word of `--find` that asks for it
};
std::span<const KindRow> kind_rows();
const KindRow& row_of(witness::FindingKind kind);

struct ModelRow {
  witness::Model model;
  std::string_view name;
  std::string_view sentence; // the runs that it allows
};
std::span<const ModelRow> model_rows(); // from strictest to most permissive
std::string_view name_of(witness::Model model);
std::optional<witness::Model> model_named(std::string_view name);

std::string_view name_of(witness::Status status);
std::string_view name_of(witness::Role role);

} // namespace sooth::report
