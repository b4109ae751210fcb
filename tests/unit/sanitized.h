// Whether this is a build with sanitizers, which keep what is freed and occupy memory of their own.
#pragma once

namespace sooth::testing {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

} // namespace sooth::testing
