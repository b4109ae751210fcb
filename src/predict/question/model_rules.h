// What distinguishes causal models: the columns of causality/models/models.def.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "witness/finding.h"

namespace sooth::predict {

enum class ReadsOfModel : std::uint8_t { ObservedOrder, SameWriter, SameValue, Free };
enum class LocksOfModel : std::uint8_t { Ordered, Exclude };
enum class NeedsOfModel : std::uint8_t { Nothing, ReleasedLocks, Flows, Facts };
enum class QuestionOfModel : std::uint8_t { Steps, Slices };

struct ModelRules {
  witness::Model model;
  std::string_view name;
  ReadsOfModel reads;
  LocksOfModel locks;
  NeedsOfModel needs;
  QuestionOfModel question;
};

inline constexpr std::array kModelRules = {
#define SOOTH_MODEL(enumerator, name, make, reads, locks, needs, question, sentence)                                   \
  ModelRules{witness::Model::enumerator, name, ReadsOfModel::reads, LocksOfModel::locks, NeedsOfModel::needs,          \
             QuestionOfModel::question},
#include "causality/models/models.def"
#undef SOOTH_MODEL
};

constexpr const ModelRules& rules_of(witness::Model model) { return kModelRules[static_cast<std::size_t>(model)]; }

constexpr std::optional<witness::Model> model_named(std::string_view name) {
  for (const ModelRules& row : kModelRules)
    if (row.name == name) return row.model;
  return std::nullopt;
}

// Whether it finds more in a program that is compiled with -fsooth-facts.
constexpr bool wants_facts(std::string_view name) {
  const std::optional<witness::Model> model = model_named(name);
  if (!model) return false;
  return rules_of(*model).needs == NeedsOfModel::Facts || rules_of(*model).needs == NeedsOfModel::Flows;
}

} // namespace sooth::predict
