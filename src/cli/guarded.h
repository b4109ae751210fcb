// Turns an exception into an error message: no command crashes on one.
#pragma once

#include <functional>

namespace sooth::cli {

// The exit status of `body`; kWrong if an exception ends it, which is reported.
int guarded(const std::function<int()>& body);

} // namespace sooth::cli
