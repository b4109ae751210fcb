// The entry from clang: options, and the places in its pipeline.
//
// Hooks are put in last of all, after the optimiser, so that only accesses that are really made are
// recorded. With link-time optimisation that is the end of each file's own compilation; a module
// remembers that it has been done.
#include <cstdlib>

#include "capture/pass/instrument.h"
#include "capture/pass/loads_ahead.h"
#include "capture/pass/tables/needless_debug.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"

namespace {

using namespace llvm;

// Clang reads these only if the plugin is loaded before its command line is: -Xclang -load -Xclang
// libsooth_pass.so
cl::list<std::string> ignorelists("sooth-ignorelist",
                                  cl::desc("File in the format of clang's ignorelists: what Sooth leaves out"),
                                  cl::value_desc("file"));
cl::list<std::string> only("sooth-only", cl::desc("Record only functions and source files that match"),
                           cl::value_desc("glob"));
cl::list<std::string> skip("sooth-skip", cl::desc("Leave out functions and source files that match"),
                           cl::value_desc("glob"));
cl::opt<bool> facts("sooth-facts", cl::desc("Write what events depend on, and record what that takes"),
                    cl::init(false));
cl::opt<bool> branches("sooth-branches", cl::desc("Record branches that depend on loaded values"), cl::init(false));
cl::opt<bool> strip_debug("sooth-strip-debug",
                          cl::desc("Drop debug information once names and places are taken from it"), cl::init(false));
cl::opt<bool> own("sooth-own", cl::desc("Leave out what one thread has to itself"), cl::init(true));
cl::opt<bool> classes("sooth-classes", cl::desc("Write what becomes of values that are read"), cl::init(true));
cl::opt<bool> loops("sooth-loops", cl::desc("Record loops that walk over ranges as ranges"), cl::init(true));
cl::opt<bool> monitor("sooth-monitor", cl::desc("Instrument only what monitors see, as the next three say"),
                      cl::init(false));
cl::opt<bool> monitor_memory("sooth-monitor-memory", cl::desc("... that follow all memory"), cl::init(false));
cl::list<std::string> monitor_variables("sooth-monitor-variable", cl::desc("... a name that may be a variable's"),
                                        cl::value_desc("name"));
cl::list<std::string> monitor_starts("sooth-monitor-start", cl::desc("... a name that may be a start function's"),
                                     cl::value_desc("name"));
cl::list<std::string> calls("sooth-call", cl::desc("A function of which every call is an event; *: all of them"),
                            cl::value_desc("name"));
cl::list<std::string> atomic("sooth-atomic", cl::desc("Functions that are meant to be atomic: every call is an event"),
                             cl::value_desc("glob"));
cl::opt<bool> verify("sooth-verify", cl::desc("Check the instrumented module with LLVM's verifier"), cl::init(false),
                     cl::Hidden);

// In the environment: all tests have it, whatever starts the compiler (tests/verify_modules.cmake).
bool is_verified() { return verify || std::getenv("SOOTH_VERIFY_MODULES") != nullptr; }

sooth::pass::Selection selection() {
  return {{ignorelists.begin(), ignorelists.end()}, {only.begin(), only.end()}, {skip.begin(), skip.end()}};
}

sooth::pass::Options options() {
  const bool with_facts = facts && !monitor; // monitors keep nothing that a fact could be about
  sooth::pass::Options options{.branches = (branches || with_facts) && !monitor,
                               .loops = loops && !with_facts && !monitor,
                               .own = own && !with_facts && !monitor,
                               .classes = classes && !with_facts && !monitor,
                               .facts = with_facts,
                               .strip_debug = strip_debug,
                               .verify = is_verified(),
                               .calls = {calls.begin(), calls.end()},
                               .atomic = {atomic.begin(), atomic.end()}};
  if (!monitor) return options;
  options.monitor.emplace().all_memory = monitor_memory;
  for (const std::string& name : monitor_variables) options.monitor->variables.insert(name);
  for (const std::string& name : monitor_starts) options.monitor->start_functions.insert(name);
  return options;
}

// Runs even for functions marked `optnone`: it is not an optimisation.
struct RecordPass : PassInfoMixin<RecordPass> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& manager) {
    auto& analyses = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    const bool changed = sooth::pass::instrument_module(module, options(), selection(), analyses);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct PreparePass : PassInfoMixin<PreparePass> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    return sooth::pass::prepare_module(module, options(), selection()) ? PreservedAnalyses::none()
                                                                       : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void register_passes(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager& manager, OptimizationLevel level) {
    if (strip_debug && level != OptimizationLevel::O0)
      manager.addPass(createModuleToFunctionPassAdaptor(sooth::pass::DropNeedlessDebug()));
    manager.addPass(PreparePass());
  });
  sooth::pass::register_loads_ahead(builder);
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& manager, OptimizationLevel) { manager.addPass(RecordPass()); });
  // For opt: -passes=sooth-record
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager& manager, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "sooth-record") manager.addPass(RecordPass());
        else if (name == "sooth-protect") manager.addPass(PreparePass());
        else return false;
        return true;
      });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "sooth", "0.1.0", register_passes};
}
