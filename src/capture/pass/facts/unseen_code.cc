#include "capture/pass/facts/unseen_code.h"

#include "capture/pass/assembly/assembly.h"
#include "capture/pass/facts/call_effects.h"
#include "capture/pass/facts/only_looks.h"
#include "capture/pass/ignore.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/xxhash.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// What SOOTH_LOOKS_AT_NOTHING of <sooth/sooth.h> expands to.
constexpr StringRef kLooksAtNothing = "sooth_looks_at_nothing";
// ... and SOOTH_ONLY_LOOKS.
constexpr StringRef kOnlyLooks = "sooth_only_looks";

// Functions without hooks that look at no memory of the program's, beside those of
// libc_functions.def: they end the program, begin a thread, or write what they are given to a
// stream.
bool looks_at_nothing(StringRef name) {
  static constexpr StringRef kNames[] = {
      "_Unwind_Resume",
      "_ZNKSt5ctypeIcE13_M_widen_initEv",
      "_ZNSo3putEc",
      "_ZNSo5flushEv",
      "_ZNSo9_M_insertIbEERSoT_",
      "_ZNSo9_M_insertIdEERSoT_",
      "_ZNSo9_M_insertIlEERSoT_",
      "_ZNSo9_M_insertImEERSoT_",
      "_ZNSo9_M_insertIxEERSoT_",
      "_ZNSo9_M_insertIyEERSoT_",
      "_ZNSolsEPFRSoS_E",
      "_ZNSolsEb",
      "_ZNSolsEd",
      "_ZNSolsEf",
      "_ZNSolsEi",
      "_ZNSolsEj",
      "_ZNSolsEl",
      "_ZNSolsEm",
      "_ZNSolsEs",
      "_ZNSolsEt",
      "_ZNSolsEx",
      "_ZNSolsEy",
      "_ZNSt18condition_variable10notify_allEv",
      "_ZNSt18condition_variable10notify_oneEv",
      "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE",
      "_ZNSt18condition_variableC1Ev",
      "_ZNSt18condition_variableD1Ev",
      "_ZNSt6chrono3_V212steady_clock3nowEv",
      "_ZNSt6chrono3_V212system_clock3nowEv",
      "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
      "_ZNSt6thread20hardware_concurrencyEv",
      "_ZNSt6thread6_StateD2Ev",
      "_ZNSt8ios_base4InitC1Ev",
      "_ZNSt8ios_base4InitD1Ev",
      "_ZSt13get_terminatev",
      "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
      "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_",
      "_ZSt9terminatev",
      "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
      "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c",
      "_ZSt18uncaught_exceptionv",
      "_ZSt19uncaught_exceptionsv",
      "__assert_fail",
      "__cxa_atexit",
      "__cxa_get_exception_ptr",
      "__cxa_pure_virtual",
      "__cxa_rethrow",
      "__cxa_throw",
      "__fprintf_chk",
      "__gxx_personality_v0",
      "__printf_chk",
      "__stack_chk_fail",
      "__syslog_chk",
      "_exit",
      "abort",
      "atexit",
      "clock",
      "clock_gettime",
      "closelog",
      "drand48",
      "exit",
      "fileno",
      "fopen",
      "ftruncate",
      "getenv",
      "getpid",
      "gettid",
      "gettimeofday",
      "isatty",
      "lrand48",
      "open",
      "openlog",
      "perror",
      "pthread_attr_destroy",
      "pthread_attr_init",
      "pthread_attr_setdetachstate",
      "pthread_attr_setstacksize",
      "pthread_exit",
      "pthread_mutexattr_destroy",
      "pthread_mutexattr_init",
      "pthread_mutexattr_settype",
      "pthread_setname_np",
      "rand",
      "random",
      "setvbuf",
      "snprintf",
      "sprintf",
      "srand",
      "srand48",
      "srandom",
      "sysconf",
      "syslog",
      "time",
      "tmpfile",
  };
  // std::__throw_system_error(int) and the like.
  if (name.starts_with("_ZSt") && name.contains("__throw_")) return true;
  return is_contained(kNames, name);
}

// Strings are read by printf and its kin, and no event shows it. What goes to the standard streams
// is not read again; how long it was, the result says.
bool reads_strings(const CallBase& call) {
  struct Reader {
    StringRef name;
    unsigned first; // argument that may be a string
    bool prints;    // to a standard stream (`first` - 1 is the stream, or there is none)
  };
  static constexpr Reader kReaders[] = {
      {"__fprintf_chk", 2, true}, {"__printf_chk", 1, true}, {"__syslog_chk", 2, true}, {"fopen", 0, false},
      {"fprintf", 1, true},       {"getenv", 0, false},      {"open", 0, false},        {"openlog", 0, false},
      {"perror", 0, true},        {"printf", 0, true},       {"snprintf", 2, false},    {"sprintf", 1, false},
      {"syslog", 1, true},
  };
  const Function* callee = call.getCalledFunction();
  const auto* reader =
      callee ? find_if(kReaders, [&](const Reader& one) { return one.name == callee->getName(); }) : std::end(kReaders);
  if (reader == std::end(kReaders)) return false;
  const bool to_file = StringRef(reader->name).contains("fprintf") && !is_standard_output(call.getArgOperand(0));
  const bool only_printed = reader->prints && call.use_empty() && !to_file;
  return !only_printed &&
         any_of(drop_begin(call.args(), std::min<unsigned>(reader->first, call.arg_size())),
                [](const Use& use) { return use->getType()->isPointerTy() && !isa<Constant>(use.get()); });
}

// All uses of the address are accesses by code with hooks.
bool stays_in(const Value& address, const DenseSet<const Function*>& hooked) {
  return all_of(address.uses(), [&](const Use& use) {
    const User* user = use.getUser();
    if (isa<GEPOperator, BitCastOperator>(user)) {
      const auto* made = dyn_cast<Instruction>(user);
      return (!made || hooked.contains(made->getFunction())) && stays_in(*user, hooked);
    }
    const auto* access = dyn_cast<Instruction>(user);
    if (!access || !hooked.contains(access->getFunction()) || access->hasMetadata(LLVMContext::MD_nosanitize))
      return false;
    if (isa<LoadInst, MemIntrinsic>(access)) return true;
    if (isa<StoreInst>(access)) return use.getOperandNo() == StoreInst::getPointerOperandIndex();
    if (isa<AtomicRMWInst>(access)) return use.getOperandNo() == AtomicRMWInst::getPointerOperandIndex();
    return isa<AtomicCmpXchgInst>(access) && use.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex();
  });
}

bool has_unseen_code(const Function& function) {
  return any_of(instructions(function), [](const Instruction& instruction) {
    const auto* call = dyn_cast<CallBase>(&instruction);
    return call && (is_opaque_assembly(*call) || reads_strings(*call));
  });
}

} // namespace

SeenCode seen_code(const Module& module, const std::vector<Function*>& with_hooks, const IgnoreList& ignored) {
  const DenseSet<const Function*> hooked(with_hooks.begin(), with_hooks.end());
  const DenseSet<const Function*> trusted = annotated_functions(module, kLooksAtNothing);
  const auto name_of = [](const Function& function) { return xxh3_64bits(function.getName()); };
  SeenCode seen;
  seen.only_look = annotated_functions(module, kOnlyLooks);
  for (const Function& function : module)
    if (ignored.only_looks(function)) seen.only_look.insert(&function);
  seen.redirects = redirects_output(module);
  seen.has_unseen = !module.ifunc_empty() || !module.getModuleInlineAsm().empty();
  for (const Function& function : module) {
    if (function.isIntrinsic() || function.getName().starts_with("__sooth_")) continue;
    if (hooked.contains(&function)) {
      seen.has_main |= function.getName() == "main";
      if (!function.hasLocalLinkage()) seen.defined.push_back(name_of(function));
      seen.has_unseen |= has_unseen_code(function);
    } else if (!function.isDeclarationForLinker()) {
      // Left out.
      seen.has_unseen |= !seen.only_look.contains(&function) && !trusted.contains(&function);
    } else if (!function.use_empty() && !function.doesNotAccessMemory() && !trusted.contains(&function) &&
               !seen.only_look.contains(&function) && !looks_at_nothing(function.getName()) &&
               !is_library_function(function)) {
      seen.called.push_back(name_of(function));
    }
  }
  for (const GlobalVariable& variable : module.globals())
    if (variable.hasLocalLinkage() && !variable.isThreadLocal() && stays_in(variable, hooked))
      seen.out_of_reach.insert(&variable);
  return seen;
}

} // namespace sooth::pass
