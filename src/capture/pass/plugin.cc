// The door to clang: options and the places in its pipeline.
//
// Hooks are put in last of all, after the optimiser, so that only accesses that are really made are recorded. With
// link-time optimisation that is the end of each file's own compilation; a module remembers that it has been done.
#include "capture/pass/instrument.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/CommandLine.h"

namespace {

using namespace llvm;

// Clang reads these only if the plugin is loaded before its command line is: -Xclang -load -Xclang libsooth_pass.so
cl::list<std::string> ignorelists("sooth-ignorelist",
                                  cl::desc("File in the format of clang's ignorelists: what Sooth leaves out"),
                                  cl::value_desc("file"));
cl::opt<bool> branches("sooth-branches", cl::desc("Record branches that depend on loaded values"), cl::init(true));
cl::opt<bool> loops("sooth-loops", cl::desc("Record loops that walk over ranges as ranges"), cl::init(true));
cl::opt<bool> verify("sooth-verify", cl::desc("Check the instrumented module with LLVM's verifier"), cl::init(false),
                     cl::Hidden);

std::vector<std::string> ignorelist_files() { return {ignorelists.begin(), ignorelists.end()}; }

// Runs even for functions marked `optnone`: it is not an optimisation.
struct RecordPass : PassInfoMixin<RecordPass> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& manager) {
    const sooth::pass::Options options{.branches = branches, .loops = loops, .verify = verify};
    auto& analyses = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    const bool changed = sooth::pass::instrument_module(module, options, ignorelist_files(), analyses);
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

struct ProtectPass : PassInfoMixin<ProtectPass> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager&) {
    return sooth::pass::protect_ignored(module, ignorelist_files()) ? PreservedAnalyses::none()
                                                                    : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void register_passes(PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](ModulePassManager& manager, OptimizationLevel) { manager.addPass(ProtectPass()); });
  builder.registerOptimizerLastEPCallback(
      [](ModulePassManager& manager, OptimizationLevel) { manager.addPass(RecordPass()); });
  // For opt: -passes=sooth-record
  builder.registerPipelineParsingCallback(
      [](StringRef name, ModulePassManager& manager, ArrayRef<PassBuilder::PipelineElement>) {
        if (name == "sooth-record") manager.addPass(RecordPass());
        else if (name == "sooth-protect") manager.addPass(ProtectPass());
        else return false;
        return true;
      });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "sooth", "0.1.0", register_passes};
}
