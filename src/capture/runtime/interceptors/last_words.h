// Why a program is about to die by its own decision: a failed assertion, std::terminate, abort.
#pragma once

#include <cstdint>

namespace sooth::runtime {

// The calling thread's last words, as an interned string. 0: there are none.
std::uint32_t last_words();

} // namespace sooth::runtime
