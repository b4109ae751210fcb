// What the compilers make of a command line, and that they work as compilers do.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "capture/driver/arguments.h"
#include "capture/driver/plain_objects.h"
#include "test_program.h"

namespace {

using sooth::driver::CommandLine;
using sooth::driver::read_command_line;
using sooth::driver::Stage;

TEST(CommandLineTest, CompileAndLinkOfASource) {
  const CommandLine line = read_command_line({"main.cpp", "-o", "main"});
  EXPECT_EQ(line.stage, Stage::Link);
  EXPECT_TRUE(line.has_inputs);
  EXPECT_FALSE(line.is_static);
  EXPECT_EQ(line.passed_on, (std::vector<std::string>{"main.cpp", "-o", "main"}));
}

TEST(CommandLineTest, TheEarliestStageWins) {
  EXPECT_EQ(read_command_line({"-c", "a.c"}).stage, Stage::Compile);
  EXPECT_EQ(read_command_line({"-S", "a.c"}).stage, Stage::Compile);
  EXPECT_EQ(read_command_line({"-c", "-E", "a.c"}).stage, Stage::Preprocess);
  EXPECT_EQ(read_command_line({"-MM", "a.c"}).stage, Stage::Preprocess);
  EXPECT_EQ(read_command_line({"-fsyntax-only", "a.c"}).stage, Stage::Preprocess);
  EXPECT_EQ(read_command_line({"-MD", "-MF", "a.d", "-c", "a.c"}).stage, Stage::Compile);
  EXPECT_EQ(read_command_line({"--version"}).stage, Stage::Query);
  EXPECT_EQ(read_command_line({"-print-prog-name=ld"}).stage, Stage::Query);
}

TEST(CommandLineTest, AHeaderIsPrecompiledAndNotLinked) {
  EXPECT_EQ(read_command_line({"-x", "c++-header", "all.h", "-o", "all.pch"}).stage, Stage::Compile);
  EXPECT_EQ(read_command_line({"all.hpp"}).stage, Stage::Compile);
  EXPECT_EQ(read_command_line({"-x", "c", "odd.h"}).stage, Stage::Link);
}

TEST(CommandLineTest, SanitizersThatMustBeAloneAreRefused) {
  EXPECT_EQ(read_command_line({"-fsanitize=thread", "a.c"}).mistakes.size(), 1u);
  EXPECT_EQ(read_command_line({"-fsanitize=address", "a.c"}).mistakes.size(), 1u);
  EXPECT_EQ(read_command_line({"-fsanitize=undefined,memory", "a.c"}).mistakes.size(), 1u);
  EXPECT_EQ(read_command_line({"-fsanitize=undefined", "a.c"}).mistakes.size(), 0u);
  EXPECT_EQ(read_command_line({"-fsanitize=thread", "-fno-sanitize=thread", "a.c"}).mistakes.size(), 0u);
  EXPECT_EQ(read_command_line({"-fsanitize=thread", "-fno-sooth", "a.c"}).mistakes.size(), 0u);
}

TEST(CommandLineTest, AValueIsNoInput) {
  EXPECT_FALSE(read_command_line({"-o", "a.out", "-I", "include"}).has_inputs);
  EXPECT_FALSE(read_command_line({"-v"}).has_inputs);
  EXPECT_TRUE(read_command_line({"-v", "a.o"}).has_inputs);
  EXPECT_EQ(read_command_line({"-MT", "-c", "a.c"}).stage, Stage::Link);
}

TEST(CommandLineTest, OptionsOfOurOwnAreNotPassedOn) {
  const CommandLine line =
      read_command_line({"-fsooth-ignorelist=a.txt", "-fsooth-branches", "-fno-sooth-loops", "-c", "a.c"});
  EXPECT_EQ(line.passed_on, (std::vector<std::string>{"-c", "a.c"}));
  EXPECT_EQ(line.ignorelists, (std::vector<std::string>{"a.txt"}));
  EXPECT_TRUE(line.branches);
  EXPECT_FALSE(read_command_line({"a.c"}).branches);
  EXPECT_FALSE(line.loops);
  EXPECT_TRUE(line.own);
  EXPECT_FALSE(read_command_line({"-fno-sooth-own", "a.c"}).own);
  EXPECT_TRUE(read_command_line({"-fno-sooth-own", "-fsooth-own", "a.c"}).own);
  EXPECT_TRUE(line.classes);
  EXPECT_FALSE(read_command_line({"-fno-sooth-classes", "a.c"}).classes);
  EXPECT_TRUE(line.instrument);
  EXPECT_FALSE(line.tsan_annotations);
  EXPECT_TRUE(read_command_line({"-fsooth-tsan-annotations", "a.c"}).tsan_annotations);
  EXPECT_FALSE(read_command_line({"-fno-sooth", "a.c"}).instrument);
  EXPECT_EQ(read_command_line({"-fsooth-nothing", "a.c"}).mistakes.size(), 1u);
}

TEST(CommandLineTest, DebugFlagsThatChooseALevel) {
  EXPECT_TRUE(read_command_line({"-g0", "a.c"}).has_debug_flag);
  EXPECT_TRUE(read_command_line({"-ggdb3", "a.c"}).has_debug_flag);
  EXPECT_FALSE(read_command_line({"-gdwarf-4", "a.c"}).has_debug_flag);
  EXPECT_TRUE(read_command_line({"-gdwarf-4", "a.c"}).wants_debug);
  EXPECT_FALSE(read_command_line({"-g0", "-gno-column-info", "a.c"}).wants_debug);
  EXPECT_FALSE(read_command_line({"-gcc-toolchain", "/opt", "a.c"}).has_debug_flag);
}

TEST(CommandLineTest, CodeThatNoRuntimeCanBeBeside) {
  EXPECT_TRUE(read_command_line({"-ffreestanding", "-c", "a.c"}).is_foreign);
  EXPECT_TRUE(read_command_line({"-x", "cuda", "-c", "a.c"}).is_foreign);
  EXPECT_TRUE(read_command_line({"-c", "kernel.cu"}).is_foreign);
  EXPECT_FALSE(read_command_line({"-x", "c++", "-c", "a.c"}).is_foreign);
}

class DriverTest : public testing::Test {
protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(SCRATCH) / info->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  // Runs in the test's folder, with the compilers as $CC and $CXX.
  Finished sh(const std::string& command) {
    return run_command("cd '" + folder_.string() + "' && export CC='" BIN "/sooth-cc' CXX='" BIN "/sooth-c++' && { " +
                       command + "; }");
  }

  std::filesystem::path folder_;
};

TEST_F(DriverTest, ResponseFilesAreUnderstoodAndPassedOn) {
  write("inner", "-c -o \"with space.o\"");
  write("outer", "@inner 'a\\.c'");
  std::filesystem::current_path(folder_);
  const CommandLine line = read_command_line({"@outer"});
  EXPECT_EQ(line.stage, Stage::Compile);
  EXPECT_TRUE(line.has_inputs);
  EXPECT_EQ(line.passed_on, (std::vector<std::string>{"@outer"}));
  write("loop", "@loop a.c");
  EXPECT_TRUE(read_command_line({"@loop"}).has_inputs);
  EXPECT_FALSE(read_command_line({"@missing"}).has_inputs);
}

TEST_F(DriverTest, AnswersAsClangDoes) {
  EXPECT_EQ(sh("$CC --version").output, run_command("clang-19 --version").output);
  EXPECT_EQ(sh("$CXX -dumpversion").output, run_command("clang++-19 -dumpversion").output);
  const Finished macros = sh("$CC -E -dM -x c /dev/null");
  EXPECT_EQ(macros.status, 0);
  EXPECT_NE(macros.output.find("#define __SOOTH__ 1"), std::string::npos);
  EXPECT_NE(sh("$CC").status, 0);
  EXPECT_NE(sh("$CC missing.c").status, 0);
  EXPECT_EQ(sh("$CXX --sooth-help").status, 0);
  EXPECT_EQ(sh("$CXX --sooth-print-libdir").output,
            std::filesystem::weakly_canonical(BIN "/../lib/sooth").string() + "\n");
}

TEST_F(DriverTest, MissingClangIsSaidClearly) {
  write("a.c", "int x;\n");
  const Finished finished = sh("SOOTH_CLANG=no-such-clang $CC -c a.c");
  EXPECT_EQ(finished.status, 127 << 8);
  EXPECT_EQ(finished.output, "sooth: cannot run no-such-clang: No such file or directory\n");
}

TEST_F(DriverTest, ObjectsCallTheHooks) {
  write("a.c", "int shared; void f(void) { ++shared; }\n");
  ASSERT_EQ(sh("$CC -O2 -c a.c -o a.o").status, 0);
  EXPECT_NE(sh("nm a.o").output.find("U __sooth_write4"), std::string::npos);
  ASSERT_EQ(sh("$CC -fno-sooth -O2 -c a.c -o plain.o").status, 0);
  EXPECT_EQ(sh("nm plain.o").output.find("sooth"), std::string::npos);
  // Nothing random: the same command gives the same bytes.
  ASSERT_EQ(sh("$CC -O2 -c a.c -o a.o && cp a.o b.o && $CC -O2 -c a.c -o a.o").status, 0);
  EXPECT_EQ(sh("cmp a.o b.o").status, 0);
}

TEST_F(DriverTest, AssemblerAndPreprocessedSourcesPass) {
  write("a.s", ".text\n.globl f\nf: ret\n");
  write("b.S", "#ifdef __SOOTH__\n.text\n.globl g\ng: ret\n#endif\n");
  write("c.c", "int c;\n");
  EXPECT_EQ(sh("$CC -c a.s -o a.o && $CC -c b.S -o b.o && $CC -x assembler -c a.s -o x.o").output, "");
  EXPECT_EQ(sh("$CC -E c.c -o c.i && $CC -c c.i -o c.o && $CC -Wall -Werror -fsyntax-only c.c").output, "");
  EXPECT_EQ(sh("$CC -r a.o c.o -o both.o").status, 0);
  EXPECT_EQ(sh("nm both.o").output.find("T __sooth"), std::string::npos); // the runtime is not linked in
}

TEST_F(DriverTest, AStaticProgramRunsUnrecordedAndSaysSo) {
  write("a.c", "#include <stdio.h>\n#include <stdatomic.h>\natomic_int n; int shared; int f(int k) { return k ? f(k - "
               "1) + shared : 1; }\n"
               "int main(void) { n += 3; shared = 2; printf(\"%d %d\\n\", n, f(1000)); return 4; }\n");
  const Finished built = sh("$CC -O1 -c a.c -o a.o && $CC -static a.o -o a");
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(built.output, "sooth: warning: a program linked with -static runs, but cannot be recorded\n");
  const Finished finished = sh("./a");
  EXPECT_EQ(finished.output, "3 2001\n");
  EXPECT_EQ(finished.status, 4 << 8);
}

TEST_F(DriverTest, UnreadableIgnorelistIsAnError) {
  write("a.c", "int x; void f(void) { x = 1; }\n");
  const Finished finished = sh("$CC -fsooth-ignorelist=missing.txt -c a.c");
  EXPECT_NE(finished.status, 0);
  EXPECT_NE(finished.output.find("missing.txt"), std::string::npos) << finished.output;
}

#if HAS_RUNTIME
TEST_F(DriverTest, MixedProgramLinksAndRuns) {
  write("lib.cpp", "int counter; int next() { return ++counter; }\n");
  write("plain.c", "int plain_value(void) { return 5; }\n");
  write("main.cpp", "#include <cstdio>\nint next(); extern \"C\" int plain_value(void);\n"
                    "int main() { next(); std::printf(\"%d\\n\", next() + plain_value()); return 3; }\n");
  const Finished built =
      sh("$CXX -O2 -fPIC -shared lib.cpp -o liblib.so && clang-19 -c plain.c -o plain.o && ar rc libplain.a plain.o && "
         "$CXX -O2 main.cpp -L. -llib libplain.a -Wl,-rpath,. -o main");
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(built.output, "");
  const Finished finished = sh("./main");
  EXPECT_EQ(finished.output, "7\n");
  EXPECT_EQ(finished.status, 3 << 8);
  EXPECT_NE(sh("ldd ./main").output.find("libsooth_rt.so"), std::string::npos);
}

// What was linked in without hooks has its name in the program, and in every report.
TEST_F(DriverTest, ObjectsWithoutHooksAreNamedInTheProgram) {
  write("plain.c", "int plain_value(void) { return 5; }\n");
  write("ours.c", "int counter; int next(void) { return ++counter; }\n");
  write("leaf.c", "int leaf(void) { return 1; }\n"); // nothing to record in it
  write("table.c", "const int table[] = {1, 2};\n"); // no code
  write("naked.s", ".globl naked\nnaked: ret\n.section .note.GNU-stack,\"\",@progbits\n");
  write("main.c", "int plain_value(void), next(void), leaf(void); extern const int table[]; void naked(void);\n"
                  "int main(void) { naked(); return next() + leaf() + table[1] + plain_value(); }\n");
  const Finished built = sh("clang-19 -c plain.c table.c && $CC -O2 -c ours.c leaf.c && gcc -c plain.c -o gcc.o && "
                            "ar rc libours.a ours.o && cp plain.o member.o && ar rc libplain.a leaf.o member.o && "
                            "$CC -O2 main.c table.o gcc.o libours.a libplain.a naked.s -o main && "
                            "$CC -O2 -c main.c && $CC -O2 -c plain.c -o whole.o && $CC -O2 -c naked.s");
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(sh("./main").status, 9 << 8);
  const std::vector<std::string> inputs = {"main.o", "table.o", "gcc.o",   "libours.a", "libplain.a",  "naked.s",
                                           "leaf.o", "whole.o", "plain.o", "missing.o", "./libplain.a"};
  std::filesystem::current_path(folder_);
  const std::vector<std::string> plain = {"gcc.o", "libplain.a", "naked.s", "plain.o"};
  EXPECT_EQ(sooth::driver::plain_objects(inputs), plain);
  const std::string notes = sh("objcopy -O binary --only-section=.note.sooth main note && tr '\\0' '|' < note").output;
  EXPECT_NE(notes.find("Sooth|"), std::string::npos) << notes;
  EXPECT_NE(notes.find("gcc.o|libplain.a|naked.s|"), std::string::npos) << notes;
  EXPECT_EQ(
      sh("$CC -O2 whole.o main.o table.o leaf.o ours.o -shared -o ours.so && readelf -n ours.so").output.find("Sooth"),
      std::string::npos);
}

TEST_F(DriverTest, CMakePackageInstrumentsATarget) {
  write("main.cpp", "#include <cstdio>\nint shared;\nint main() { shared = 7; std::printf(\"%d\\n\", shared); }\n");
  write("ignore.txt", "fun:nothing\n");
  write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nfind_package(Sooth REQUIRED)\n"
                          "add_executable(main main.cpp)\nsooth_instrument(main NO_BRANCHES IGNORELIST ignore.txt)\n");
  const std::string prefix = std::filesystem::weakly_canonical(BIN "/..").string();
  const Finished built = sh("cmake -G Ninja -S . -B clang -DCMAKE_CXX_COMPILER=clang++-19 -DSooth_DIR=" + prefix +
                            "/lib/cmake/Sooth && ninja -C clang");
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(sh("./clang/main").output, "7\n");
  EXPECT_NE(sh("nm ./clang/main").output.find("__sooth_register_module"), std::string::npos);
  const Finished other =
      sh("cmake -G Ninja -S . -B gcc -DCMAKE_CXX_COMPILER=g++ -DSooth_DIR=" + prefix + "/lib/cmake/Sooth");
  EXPECT_NE(other.status, 0);
  EXPECT_NE(other.output.find("sooth_instrument needs clang 19"), std::string::npos) << other.output;
  const Finished wrapped = sh("cmake -G Ninja -S . -B wrapped -DCMAKE_CXX_COMPILER=$CXX -DSooth_DIR=" + prefix +
                              "/lib/cmake/Sooth && ninja -C wrapped");
  ASSERT_EQ(wrapped.status, 0) << wrapped.output;
  EXPECT_EQ(sh("./wrapped/main").output, "7\n");
}

TEST_F(DriverTest, TheFunctionsThatAPropertyNamesArePrinted) {
  write("p.prop", "event go = call(net::send)\npattern once over go: go\n");
  EXPECT_EQ(sh("$CXX -fsooth-property=p.prop --sooth-print-calls").output, "send\n");
  EXPECT_NE(sh("$CXX -fsooth-property=missing.prop --sooth-print-calls").status, 0);
}

// With facts the model is `full`, and calls that a property names are events; a test fails if
// something is found.
TEST_F(DriverTest, CMakePackageHasFactsPropertiesAndTests) {
  write("main.cpp", "#include <cstdlib>\n#include <pthread.h>\nint shared;\nvoid send() { asm volatile(\"\"); }\n"
                    "void* add(void*) { ++shared; return nullptr; }\n"
                    "int main(int argc, char** argv) {\n  send();\n  pthread_t other;\n"
                    "  pthread_create(&other, nullptr, add, nullptr);\n  if (argc > 1) add(argv[1]);\n"
                    "  pthread_join(other, nullptr);\n}\n");
  write("p.prop", "event go = call(send)\npattern never over go: epsilon\n");
  write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.20)\nproject(p CXX)\nfind_package(Sooth REQUIRED)\n"
                          "enable_testing()\nadd_executable(main main.cpp)\n"
                          "sooth_instrument(main FACTS PROPERTY p.prop)\n"
                          "sooth_add_test(NAME fine COMMAND main)\n"
                          "sooth_add_test(NAME racy COMMAND main racy OPTIONS --find races)\n");
  const std::string prefix = std::filesystem::weakly_canonical(BIN "/..").string();
  for (const std::string compiler : {"clang++-19", "$CXX"}) {
    const Finished built = sh("rm -rf b && cmake -G Ninja -S . -B b -DCMAKE_CXX_COMPILER=" + compiler +
                              " -DSooth_DIR=" + prefix + "/lib/cmake/Sooth && ninja -C b");
    ASSERT_EQ(built.status, 0) << built.output;
    EXPECT_EQ(sh("ctest --test-dir b -R fine").status, 0) << compiler;
    const Finished racy = sh("ctest --test-dir b --output-on-failure -R racy");
    EXPECT_NE(racy.status, 0) << racy.output;
    EXPECT_NE(racy.output.find("data race on `shared`"), std::string::npos) << racy.output;
    EXPECT_NE(racy.output.find("full model"), std::string::npos) << racy.output;
    sh("SOOTH_TRACE=t.sooth b/main; true");
    EXPECT_NE(sh(prefix + "/bin/sooth show --kind enter t.sooth").output.find("send()"), std::string::npos) << compiler;
  }
}
#endif

} // namespace
