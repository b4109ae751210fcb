#pragma once

namespace sooth::runtime {

// The last of the functions that quick_exit calls.
void finish_quick_exit();

} // namespace sooth::runtime
