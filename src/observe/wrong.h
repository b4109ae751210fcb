// An error in an observed program's messages: there is no file to name.
#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace sooth::observe {

inline Error wrong(std::string sentence) { return {std::move(sentence), "", 0, 0}; }

} // namespace sooth::observe
