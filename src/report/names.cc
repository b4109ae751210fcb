#include "report/names.h"

namespace sooth::report {

using witness::FindingKind;
using witness::Model;
using witness::Role;
using witness::Status;

std::span<const KindRow> kind_rows() {
  static constexpr KindRow rows[] = {
      {FindingKind::Race, "race", "data race", "races"},
      {FindingKind::Deadlock, "deadlock", "deadlock", "deadlocks"},
      {FindingKind::LostWakeup, "lost-wakeup", "lost wake-up", "deadlocks"},
      {FindingKind::Atomicity, "atomicity", "broken atomicity", "atomicity"},
      {FindingKind::UseAfterFree, "use-after-free", "use after free", "memory"},
      {FindingKind::DoubleFree, "double-free", "double free", "memory"},
      {FindingKind::Property, "property", "violation of property", "properties"},
      {FindingKind::Monitor, "monitor", "violation of monitor", "properties"},
      {FindingKind::PossibleLiveness, "possible-liveness", "possibly violated liveness", "properties"},
      {FindingKind::Crash, "crash", "crash", "crashes"},
      {FindingKind::Misuse, "misuse", "misuse", "misuse"},
      {FindingKind::Assertion, "assertion", "failing assertion", "crashes"},
      {FindingKind::ThreadLeak, "thread-leak", "thread leak", "misuse"},
      {FindingKind::SignalUnsafe, "signal-unsafe", "unsafe call in a signal handler", "misuse"},
      {FindingKind::SignalErrno, "signal-errno", "signal handler that changes errno", "misuse"},
  };
  return rows;
}

const KindRow& row_of(FindingKind kind) {
  for (const KindRow& row : kind_rows())
    if (row.kind == kind) return row;
  return kind_rows().front(); // every enumerator has a row
}

std::span<const ModelRow> model_rows() {
  static constexpr ModelRow rows[] = {
#define SOOTH_MODEL(enumerator, name, make, reads, locks, needs, question, sentence)                                   \
  {Model::enumerator, name, sentence},
#include "causality/models/models.def"
#undef SOOTH_MODEL
  };
  return rows;
}

std::string_view name_of(Model model) {
  for (const ModelRow& row : model_rows())
    if (row.model == model) return row.name;
  return "";
}

std::optional<Model> model_named(std::string_view name) {
  for (const ModelRow& row : model_rows())
    if (row.name == name) return row.model;
  return std::nullopt;
}

std::string_view name_of(Status status) {
  switch (status) {
  case Status::Observed: return "observed";
  case Status::Predicted: return "predicted";
  case Status::Confirmed: return "confirmed";
  }
  return "";
}

std::string_view name_of(Role role) {
  switch (role) {
  case Role::Access: return "access";
  case Role::Request: return "request";
  case Role::Hold: return "hold";
  case Role::BlockBegin: return "block-begin";
  case Role::BlockEnd: return "block-end";
  case Role::Interleaved: return "interleaved";
  case Role::Use: return "use";
  case Role::Free: return "free";
  case Role::Wait: return "wait";
  case Role::Signal: return "signal";
  case Role::Step: return "step";
  case Role::End: return "end";
  }
  return "";
}

} // namespace sooth::report
