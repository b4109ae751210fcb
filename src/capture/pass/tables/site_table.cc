#include "capture/pass/tables/site_table.h"

#include "capture/pass/module_context.h"
#include "capture/pass/tables/debug_types.h"
#include "capture/pass/tables/global_table.h"
#include "capture/pass/tables/name_table.h"
#include "capture/pass/tables/type_table.h"
#include "trace/format.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

namespace sooth::pass {

using namespace llvm;

std::uint32_t StringTable::add(StringRef text) {
  if (text.empty()) return 0;
  // A zero byte inside a name would cut it; none is legal in a source name.
  const std::string key = text.take_until([](char c) { return c == '\0'; }).str();
  auto [entry, fresh] = offsets_.try_emplace(key, static_cast<std::uint32_t>(bytes_.size()));
  if (fresh) bytes_.append(key).push_back('\0');
  return entry->second;
}

std::uint32_t SiteTable::add(const Row& row) {
  const SoothSiteRow stored = {strings.add(row.file),     row.line, row.column, strings.add(row.function),
                               strings.add(row.variable), row.flags};
  const std::uint32_t inlined = add_inlined(row.inlined);
  const std::uint32_t object = strings.add(row.object);
  const std::uint32_t check =
      row.check.empty() ? 0 : check_keys_.try_emplace(row.check, check_keys_.size() + 1).first->second;
  const auto number = static_cast<std::uint32_t>(rows_.size());
  if (!distinct_) {
    const auto [entry, fresh] = known_.try_emplace({stored.file, stored.line, stored.column, stored.function,
                                                    stored.variable, stored.flags, inlined, object, check},
                                                   number);
    if (!fresh) return entry->second;
  }
  rows_.push_back(stored);
  inlined_.push_back(inlined);
  objects_.push_back(object);
  return number;
}

// From the outside in: a call is identified by its place and the call around it.
std::uint32_t SiteTable::add_inlined(const std::vector<InlinedCall>& calls) {
  std::uint32_t around = 0;
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    const Words words = {strings.add(call->file),     call->line,  call->column,
                         strings.add(call->function), call->flags, around};
    const auto [entry, fresh] = known_calls_.try_emplace(words, static_cast<std::uint32_t>(calls_.size() + 1));
    if (fresh) calls_.push_back(words);
    around = entry->second;
  }
  return around;
}

std::vector<std::uint32_t> SiteTable::inlined_words() const {
  std::vector<std::uint32_t> out;
  if (calls_.empty()) return out;
  out.push_back(static_cast<std::uint32_t>(calls_.size()));
  for (const Words& call : calls_) out.insert(out.end(), call.begin(), call.end());
  for (std::size_t row = 0; row < inlined_.size(); ++row)
    if (inlined_[row] != 0) out.insert(out.end(), {static_cast<std::uint32_t>(row), inlined_[row]});
  return out;
}

std::vector<std::uint32_t> SiteTable::object_words() const {
  std::vector<std::uint32_t> out;
  for (std::size_t row = 0; row < objects_.size(); ++row)
    if (objects_[row] != 0) out.insert(out.end(), {static_cast<std::uint32_t>(row), objects_[row]});
  return out;
}

void SiteTable::add_check(const Words& loads, const std::string& fails, const Words& condition) {
  Words words = {strings.add(fails), static_cast<std::uint32_t>(loads.size())};
  words.insert(words.end(), loads.begin(), loads.end());
  words.push_back(static_cast<std::uint32_t>(condition.size()));
  words.insert(words.end(), condition.begin(), condition.end());
  checks_.insert(std::move(words));
}

std::vector<std::uint32_t> SiteTable::check_words() const {
  Words out;
  for (const Words& check : checks_) out.insert(out.end(), check.begin(), check.end());
  return out;
}

namespace {

GlobalVariable* constant(Module& module, Constant* value, const Twine& name) {
  auto* made = new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value, name);
  made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return made;
}

Constant* site_rows(ModuleContext& context) {
  std::vector<std::uint32_t> numbers;
  for (const SoothSiteRow& row : context.sites.rows())
    numbers.insert(numbers.end(), {row.file, row.line, row.column, row.function, row.variable, row.flags});
  if (numbers.empty()) return ConstantPointerNull::get(context.pointer);
  return constant(context.module, ConstantDataArray::get(context.module.getContext(), numbers), "__sooth_sites");
}

Constant* global_rows(ModuleContext& context, const std::vector<GlobalEntry>& globals) {
  if (globals.empty()) return ConstantPointerNull::get(context.pointer);
  auto* row_type = StructType::get(context.pointer, context.i64, context.i32, context.i32, context.i32, context.i32);
  std::vector<Constant*> rows;
  auto number = [&](std::uint32_t value) { return ConstantInt::get(context.i32, value); };
  for (const GlobalEntry& global : globals) {
    StringTable& strings = context.sites.strings;
    rows.push_back(ConstantStruct::get(row_type, global.variable, ConstantInt::get(context.i64, global.bytes),
                                       number(strings.add(global.name)), number(strings.add(global.type)),
                                       number(strings.add(global.file)), number(global.line)));
  }
  return constant(context.module, ConstantArray::get(ArrayType::get(row_type, rows.size()), rows), "__sooth_globals");
}

// Static facts: sections of words.
std::vector<std::uint32_t> fact_words(ModuleContext& context, const std::vector<GlobalEntry>& globals) {
  std::vector<std::uint32_t> words;
  const auto add_section = [&](std::uint32_t tag, const std::vector<std::uint32_t>& payload) {
    words.insert(words.end(), {tag, static_cast<std::uint32_t>(payload.size() * 4)});
    words.insert(words.end(), payload.begin(), payload.end());
  };
  TypeTable types(context.sites.strings);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(globals.size());
  for (const GlobalEntry& global : globals) numbers.push_back(types.add(global.layout));
  std::vector<std::uint32_t> payload{types.size(), static_cast<std::uint32_t>(numbers.size())};
  const std::vector<std::uint32_t> rows = types.words();
  payload.insert(payload.end(), rows.begin(), rows.end());
  payload.insert(payload.end(), numbers.begin(), numbers.end());
  add_section(trace::kFactTypes, payload);
  add_section(trace::kFactNames, name_words(context, globals));
  if (const auto inlined = context.sites.inlined_words(); !inlined.empty()) add_section(trace::kFactInlined, inlined);
  if (const auto objects = context.sites.object_words(); !objects.empty()) add_section(trace::kFactObjects, objects);
  if (const auto checks = context.sites.check_words(); !checks.empty()) add_section(trace::kFactChecks, checks);
  if (context.options.facts) add_section(trace::kFactDependence, context.dependence);
  else if (context.options.classes) add_section(trace::kFactFlows, context.flows.words());
  if (context.functions_left_out != 0) add_section(trace::kFactLeftOut, {context.functions_left_out});
  return words;
}

struct ModuleText {
  std::string name;
  std::string flags;
};

ModuleText describe_module(const Module& module) {
  ModuleText text{module.getSourceFileName(), ""};
  for (const DICompileUnit* unit : module.debug_compile_units()) {
    text.name = joined_path(unit->getFile());
    text.flags = unit->getFlags().str();
    break;
  }
  return text;
}

std::uint32_t module_flags(const Options& options) {
  return (options.facts ? kSoothModuleHasFacts : 0) | (options.own ? kSoothModuleHasOwners : 0);
}

} // namespace

void emit_module_tables(ModuleContext& context) {
  Module& module = context.module;
  StringTable& strings = context.sites.strings;
  const std::vector<GlobalEntry> globals = collect_globals(module);
  const ModuleText text = describe_module(module);
  auto number = [&](std::uint64_t value) { return ConstantInt::get(context.i32, value); };

  Constant* sites = site_rows(context);
  Constant* variables = global_rows(context, globals);
  const std::uint32_t name = strings.add(text.name);
  const std::uint32_t flags = strings.add(text.flags);
  const std::vector<std::uint32_t> facts = fact_words(context, globals);
  Constant* fact_bytes = constant(module, ConstantDataArray::get(module.getContext(), facts), "__sooth_facts");
  Constant* bytes = constant(
      module, ConstantDataArray::getString(module.getContext(), strings.bytes(), /*AddNull=*/false), "__sooth_strings");

  auto* description_type =
      StructType::get(context.i32, context.i32, context.pointer, context.pointer, context.pointer, context.pointer,
                      context.pointer, context.i32, context.i32, context.i32, context.i32, context.i32, context.i32);
  static_assert(sizeof(SoothModule) == 72, "the fields below follow abi.h");
  auto* description =
      constant(module,
               ConstantStruct::get(description_type, number(kSoothAbiVersion), number(context.sites.rows().size()),
                                   sites, variables, bytes, fact_bytes, context.base, number(globals.size()),
                                   number(strings.bytes().size()), number(facts.size() * 4), number(name),
                                   number(flags), number(module_flags(context.options))),
               "__sooth_module");
  // Side by side in the program's file, where tools find them without running it
  // (src/trace/program/program.h).
  description->setSection("sooth_modules");
  description->setAlignment(Align(8));

  auto* constructor = Function::createWithDefaultAttr(FunctionType::get(context.void_type, false),
                                                      GlobalValue::InternalLinkage, 0, "__sooth_register", &module);
  constructor->addFnAttr(Attribute::NoUnwind);
  constructor->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  Builder at(BasicBlock::Create(module.getContext(), "", constructor));
  context.call(at, "__sooth_register_module", context.void_type, {description});
  at.CreateRetVoid();
  appendToGlobalCtors(module, constructor, 0);
}

} // namespace sooth::pass
