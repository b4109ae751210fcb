#include "capture/pass/facts/only_looks.h"

#include <optional>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sooth::pass {

using namespace llvm;

namespace {

// The library's: it has no body here, or that of a template which the library has, too.
StringRef name_of(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  const bool known =
      callee && (callee->isDeclarationForLinker() || callee->hasLinkOnceODRLinkage() || callee->hasWeakODRLinkage());
  return known ? callee->getName() : "";
}

// The position of the format; the values follow it. Only what goes to the standard streams or to
// the system's log.
std::optional<unsigned> format_of(const CallBase& call) {
  struct Printer {
    StringRef name;
    unsigned format;
    bool to_stream; // which is the first argument
  };
  static constexpr Printer kPrinters[] = {
      {"printf", 0, false},       {"__printf_chk", 1, false}, {"fprintf", 1, true},
      {"__fprintf_chk", 2, true}, {"syslog", 1, false},       {"__syslog_chk", 2, false},
  };
  const StringRef name = name_of(call);
  for (const Printer& printer : kPrinters)
    if (name == printer.name && call.arg_size() > printer.format &&
        (!printer.to_stream || is_standard_output(call.getArgOperand(0))))
      return printer.format;
  return std::nullopt;
}

// Whether value number `which` of the format is a number that is printed.
bool prints_number(StringRef format, unsigned which) {
  unsigned next = 0;
  bool found = false;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] != '%') continue;
    at = format.find_first_not_of("-+ #0'.0123456789hlLqjzt", at + 1);
    if (at == StringRef::npos) return false;
    if (format[at] == '%') continue;
    if (StringRef("diouxXcaAeEfFgG").contains(format[at])) found = found || next == which;
    else if (!StringRef("sp").contains(format[at])) return false; // `*`, `n`, `$`, `m`, or something of the user's
    ++next;
  }
  return found;
}

// Members of std::ostream and functions beside them that print one number and return the stream.
bool prints_to_stream(StringRef name) {
  static constexpr StringRef kNames[] = {
      "_ZNSo3putEc",
      "_ZNSo9_M_insertIbEERSoT_",
      "_ZNSo9_M_insertIdEERSoT_",
      "_ZNSo9_M_insertIlEERSoT_",
      "_ZNSo9_M_insertImEERSoT_",
      "_ZNSo9_M_insertIxEERSoT_",
      "_ZNSo9_M_insertIyEERSoT_",
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
      "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c",
  };
  return is_contained(kNames, name);
}

// ... or something else, and return the stream.
bool returns_stream(StringRef name) {
  static constexpr StringRef kNames[] = {
      "_ZNSo5flushEv",
      "_ZNSolsEPFRSoS_E",
      "_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
      "_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_",
      "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
  };
  return prints_to_stream(name) || is_contained(kNames, name);
}

bool is_standard_stream(const Value* stream) {
  constexpr unsigned kMost = 64; // calls in one expression
  for (unsigned calls = 0; calls < kMost; ++calls) {
    if (const auto* variable = dyn_cast<GlobalVariable>(stream))
      return is_contained({StringRef("_ZSt4cout"), StringRef("_ZSt4cerr"), StringRef("_ZSt4clog")},
                          variable->getName());
    const auto* call = dyn_cast<CallBase>(stream);
    if (!call || !returns_stream(name_of(*call))) return false;
    stream = call->getArgOperand(0);
  }
  return false;
}

bool is_stream_variable(const Value* object) {
  static constexpr StringRef kNames[] = {"stdout", "stderr", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"};
  const auto* variable = dyn_cast<GlobalVariable>(object);
  return variable && is_contained(kNames, variable->getName());
}

bool may_redirect(StringRef name) {
  static constexpr StringRef kNames[] = {
      "_ZNSt6locale6globalERKS_",
      "_ZNSt8ios_base15sync_with_stdioEb", // then numbers move a pointer of the stream's own buffer
      "_ZNSt9basic_iosIcSt11char_traitsIcEE5imbueERKSt6locale",
      "_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E",
      "dup",
      "dup2",
      "dup3",
      "fmemopen",
      "fopencookie",
      "forkpty",
      "freopen",
      "freopen64",
      "open_memstream",
      "openpty",
      "pipe",
      "pipe2",
      "posix_openpt",
      "register_printf_function",
      "register_printf_modifier",
      "register_printf_specifier",
      "register_printf_type",
      "setbuf",
      "setbuffer",
      "socketpair",
  };
  return is_contained(kNames, name);
}

bool is_constant_null(const Value* value) {
  const auto* constant = dyn_cast<Constant>(value);
  return constant && constant->isNullValue();
}

bool redirects(const Instruction& instruction) {
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    return is_stream_variable(getUnderlyingObject(store->getPointerOperand(), 0)) ||
           is_stream_variable(store->getValueOperand()->stripPointerCasts());
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (!call || call->arg_empty()) return false;
  const StringRef name = name_of(*call);
  if (name == "setvbuf") return call->arg_size() < 2 || !is_constant_null(call->getArgOperand(1));
  if (name == "fclose") return is_standard_output(call->getArgOperand(0));
  if (name != "close") return false;
  const auto* descriptor = dyn_cast<ConstantInt>(call->getArgOperand(0)); // others: of files that the program opened
  return descriptor && descriptor->getZExtValue() <= 2;
}

} // namespace

bool is_standard_output(const Value* stream) {
  const auto* load = dyn_cast<LoadInst>(stream);
  const auto* variable = load ? dyn_cast<GlobalVariable>(load->getPointerOperand()) : nullptr;
  return variable && (variable->getName() == "stdout" || variable->getName() == "stderr");
}

bool only_looks(const CallBase& call, unsigned argument, const DenseSet<const Function*>& named) {
  const Function* callee = call.getCalledFunction();
  if (callee && named.contains(callee)) return true;
  if (const auto format = format_of(call)) {
    StringRef text;
    return argument > *format && getConstantStringInfo(call.getArgOperand(*format), text) &&
           prints_number(text, argument - *format - 1);
  }
  const StringRef name = name_of(call);
  if (name == "putchar") return argument == 0;
  if (name == "putc" || name == "fputc") return argument == 0 && is_standard_output(call.getArgOperand(1));
  return prints_to_stream(name) && argument == 1 && is_standard_stream(call.getArgOperand(0));
}

std::uint64_t printed_bytes(const CallBase& call) {
  const StringRef name = name_of(call);
  if ((name != "fwrite" && name != "fwrite_unlocked") || call.arg_size() != 4) return 0;
  const auto* bytes = dyn_cast<ConstantInt>(call.getArgOperand(1));
  const auto* count = dyn_cast<ConstantInt>(call.getArgOperand(2));
  if (!bytes || !count || !is_standard_output(call.getArgOperand(3))) return 0;
  constexpr std::uint64_t kMost = 8; // of an event that is not a range
  const std::uint64_t each = bytes->getLimitedValue(kMost + 1), of = count->getLimitedValue(kMost + 1);
  return each * of <= kMost ? each * of : 0;
}

bool keep_printers_apart(Module& module) {
  bool changed = false;
  for (Function& function : module) {
    if (function.isDeclaration() || !prints_to_stream(function.getName()) ||
        function.hasFnAttribute(Attribute::NoInline) || function.hasFnAttribute(Attribute::AlwaysInline))
      continue;
    function.addFnAttr(Attribute::NoInline);
    changed = true;
  }
  return changed;
}

bool redirects_output(const Module& module) {
  for (const Function& function : module) {
    if (!function.use_empty() && may_redirect(function.getName())) return true;
    if (any_of(instructions(function), redirects)) return true;
  }
  return false;
}

} // namespace sooth::pass
