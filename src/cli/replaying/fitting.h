// A witness for a program whose source was edited since.
//
//     witness:     lock at 10:3, write at 11:7 of f()
//     this build:  f() has places at 14:3 and 15:7
//     fitted:      lock at 14:3, write at 15:7
//
// Question: where are the places of the witness in this build of the program?
// Rule: a function that has all its places is as it was. Of another one, all places have moved by
//   the same number of lines, if only one number fits; or each has moved to the only place of the
//   function in the same column, in the same order. Otherwise the function has changed, and the
//   witness is refused. A wrong guess is no wrong answer: the replay shows whether the error comes.
#pragma once

#include <string>

#include "base/result.h"
#include "replay/script.h"

namespace sooth::cli {

struct Fitted {
  replay::Script script;
  std::string moved; // "f() stands 4 lines further down now"; empty: nothing has moved
};

// An error says why the program cannot be the one that the script was made for.
Result<Fitted> fitted(const replay::Script& script, const std::string& program);

} // namespace sooth::cli
