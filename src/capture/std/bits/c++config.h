// Comes before libstdc++'s header of this name on the include path of instrumented code.
//
// libstdc++ promises (`extern template`) that its library has the code of std::string, the streams
// and others. So a compiler leaves calls to code that was not instrumented, and its accesses would
// be missing in the trace. Without the promise every program gets code of its own, from the same
// templates.
#pragma GCC system_header
#include_next <bits/c++config.h>
#if defined(_GLIBCXX_EXTERN_TEMPLATE)
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#endif
