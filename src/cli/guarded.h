// Whatever goes wrong inside ends with a sentence, never with a crash.
#pragma once

#include <functional>

namespace sooth::cli {

// The exit status of `body`; kWrong if an exception ends it, which is told.
int guarded(const std::function<int()>& body);

} // namespace sooth::cli
