#include "capture/pass/tables/name_table.h"

#include <set>
#include <string>
#include <tuple>

#include "capture/pass/monitored.h"
#include "capture/pass/tables/debug_types.h"
#include "trace/format.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

namespace sooth::pass {

using namespace llvm;

namespace {

struct Name {
  trace::NameKind kind;
  std::string text;
  std::uint32_t bytes = 0;
  std::uint32_t type = 0;
  bool operator<(const Name& other) const {
    return std::tie(kind, text, bytes, type) < std::tie(other.kind, other.text, other.bytes, other.type);
  }
};

std::uint32_t constant_argument(const CallBase& call, unsigned index) {
  if (index >= call.arg_size()) return 0;
  const auto* number = dyn_cast<ConstantInt>(call.getArgOperand(index));
  return number ? static_cast<std::uint32_t>(number->getZExtValue()) : 0;
}

// Names of threads and blocks: which argument holds them. Names that are made at run time appear as
// the empty one.
bool add_thread_or_block(const CallBase& call, StringRef callee, std::set<Name>& names) {
  const bool block = callee == "__sooth_atomic_begin";
  const bool other = callee == "pthread_setname_np";
  if (!block && !other && callee != "__sooth_thread_name") return false;
  StringRef text;
  if (call.arg_size() > (other ? 1u : 0u)) getConstantStringInfo(call.getArgOperand(other ? 1 : 0), text);
  names.insert({block ? trace::NameKind::Block : trace::NameKind::Thread, text.str()});
  return true;
}

// False: the name is made at run time.
bool add_call(const CallBase& call, std::set<Name>& names) {
  const Function* callee = call.getCalledFunction();
  if (!callee || call.arg_size() == 0 || add_thread_or_block(call, callee->getName(), names)) return true;
  const StringRef name = callee->getName();
  const bool watch = name == "__sooth_watch";
  // sooth_internal is an event, too (<sooth/monitor.h>).
  const bool event = name == "__sooth_user_event" || name == "__sooth_user_event_double" || name == "__sooth_internal";
  if (!watch && !event) return true;
  StringRef text;
  if (!getConstantStringInfo(call.getArgOperand(0), text)) return false;
  if (watch) names.insert({trace::NameKind::Watch, text.str(), constant_argument(call, 2), constant_argument(call, 3)});
  else names.insert({trace::NameKind::UserEvent, text.str()});
  return true;
}

// The functions that this instruction comes from, other than the one that it stands in.
void add_inlined(const DILocation* at, std::set<Name>& names) {
  for (; at && at->getInlinedAt(); at = at->getInlinedAt()) {
    const DISubprogram* function = at->getScope()->getSubprogram();
    if (function && !is_system_path(joined_path(function->getFile())))
      names.insert({trace::NameKind::InlinedFunction, function_name(function)});
  }
}

} // namespace

std::vector<std::uint32_t> name_words(ModuleContext& context, const std::vector<GlobalEntry>& globals) {
  std::set<Name> names;
  bool complete = true;
  for (const Function& function : context.module) {
    for (const Instruction& instruction : instructions(function)) {
      add_inlined(instruction.getDebugLoc(), names);
      if (const auto* call = dyn_cast<CallBase>(&instruction)) complete = add_call(*call, names) && complete;
    }
  }
  for (const GlobalEntry& global : globals) {
    if (context.sight && context.sight->is_unseen(*global.variable))
      names.insert({trace::NameKind::Unseen, global.name});
    if (context.sight && context.sight->is_unreached(*global.variable))
      names.insert({trace::NameKind::Unreached, global.name});
  }
  for (const std::string& name : thread_local_names(context.module)) names.insert({trace::NameKind::ThreadLocal, name});
  std::vector<std::uint32_t> words{complete ? 0u : trace::kNamesIncomplete};
  for (const Name& name : names)
    words.insert(words.end(),
                 {static_cast<std::uint32_t>(name.kind), context.sites.strings.add(name.text), name.bytes, name.type});
  return words;
}

} // namespace sooth::pass
