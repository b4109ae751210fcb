#include "cli/guarded.h"

#include <cstdio>
#include <exception>
#include <new>

#include "cli/command.h"

namespace sooth::cli {

int guarded(const std::function<int()>& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    std::fputs("sooth: there is not enough memory for this.\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sooth: unexpected error: %s\n", error.what());
  } catch (...) {
    std::fputs("sooth: unexpected error.\n", stderr);
  }
  return kWrong;
}

} // namespace sooth::cli
