// import and export.
#include "sooth_command.h"

namespace sooth::cli::testing {
namespace {

class Convert : public CommandTest {};

constexpr const char* kStd = "T0|w(x)|1\nT0|fork(T1)|2\nT1|acq(l)|3\nT1|r(x)|4\nT1|rel(l)|5\nT0|join(T1)|6\n";

TEST_F(Convert, StdComesBackThroughATrace) {
  const std::string std_file = write_file("in.std", kStd);
  const Outcome imported = sooth({"import", "--from", "std", std_file, "-o", path("t.sooth")});
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_EQ(imported.err, "");
  EXPECT_EQ(sooth({"verify", path("t.sooth")}).status, 0);
  ASSERT_EQ(sooth({"export", path("t.sooth"), "-o", path("out.std")}).status, 0);
  EXPECT_EQ(read_file(path("out.std")), kStd);
  EXPECT_EQ(sooth({"export", "--to", "std", path("t.sooth"), "-o", "-"}).out, kStd);
}

TEST_F(Convert, BadLinesAreNamedAndNothingIsWritten) {
  const std::string file = write_file("bad.std", "T0|w(x)|1\nT0|y(x)|1\n\nT0;r\n");
  const Outcome outcome = sooth({"import", file, "-o", path("t.sooth")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("bad.std:2:4: unknown operation `y`"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("bad.std:4:1:"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("2 lines"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_file(path("t.sooth")), "");
}

TEST_F(Convert, AnIllegalTraceIsImportedWithAWarningAndRejectedByVerify) {
  const std::string file = write_file("in.std", "T0|acq(l)|1\nT1|acq(l)|2\n");
  const Outcome outcome = sooth({"import", file, "-o", path("t.sooth")});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("not legal"), std::string::npos) << outcome.err;
  EXPECT_EQ(sooth({"verify", path("t.sooth")}).status, 2);
}

TEST_F(Convert, WhatStdCannotSayIsCounted) {
  trace::Trace t = small_trace();
  const Outcome outcome = sooth({"export", "--to", "std", write_trace("t.sooth", t), "-o", "-"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("1 user"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("T1|acq(guard)"), std::string::npos) << outcome.out;
}

TEST_F(Convert, FormatsAndFilesAreChecked) {
  const std::string file = write_file("in.txt", kStd);
  EXPECT_EQ(sooth({"import", file, "-o", path("t.sooth")}).status, 2);
  EXPECT_EQ(sooth({"import", "--from", "csv", file, "-o", path("t.sooth")}).status, 2);
  EXPECT_EQ(sooth({"import", "--from", "std", path("missing.std"), "-o", path("t.sooth")}).status, 2);
  EXPECT_EQ(sooth({"import", "--from", "std", file, "-o", path("no/such/folder.sooth")}).status, 2);
  EXPECT_EQ(sooth({"export", "--to", "std", write_trace("t.sooth", small_trace()), "-o", path("no/such.std")}).status,
            2);
}

} // namespace
} // namespace sooth::cli::testing
