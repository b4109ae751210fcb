// Which function a thread starts in: `at writer` may name the function that was given to pthread_create or std::thread.
//
// Sites have the linker's names. Of those only what a property file can say is understood here: names in namespaces and
// classes, without parameters and template arguments.
#include "capture/runtime/modules.h"
#include "capture/runtime/monitored_state.h"

namespace sooth::runtime {
namespace {

bool starts_with(const char* text, const char* prefix) {
  while (*prefix != 0)
    if (*text++ != *prefix++) return false;
  return true;
}

// `_ZN4bank6tellerEi` is `bank::teller`. A name that is not understood is given as it is: nothing in a property equals it.
void plain_name(const char* linkage, char* out, std::size_t room) {
  std::size_t used = 0;
  const auto put = [&](char c) {
    if (used + 1 < room) out[used++] = c;
  };
  const char* at = linkage;
  bool understood = false;
  if (starts_with(at, "_Z")) {
    at += 2;
    const bool nested = *at == 'N';
    if (nested || *at == 'L') ++at;
    while (nested && (*at == 'K' || *at == 'V' || *at == 'r')) ++at;
    while (*at >= '0' && *at <= '9') {
      std::size_t length = 0;
      for (; *at >= '0' && *at <= '9' && length < 4096; ++at)
        length = length * 10 + static_cast<std::size_t>(*at - '0');
      const bool unnamed = starts_with(at, "_GLOBAL__N");
      if (!unnamed && understood) put(':'), put(':');
      for (; length != 0 && *at != 0; --length, ++at)
        if (!unnamed) put(*at);
      understood = understood || !unnamed;
      if (!nested) break;
      if (*at == 'L') ++at; // a static member of an unnamed namespace
    }
  }
  if (!understood) {
    used = 0;
    for (at = linkage; *at != 0; ++at) put(*at);
  }
  out[used] = 0;
}

// std::thread's own way to the function that it was given.
bool is_the_librarys(const char* linkage) {
  return starts_with(linkage, "_ZSt") || starts_with(linkage, "_ZNSt") || starts_with(linkage, "_ZNKSt") ||
         starts_with(linkage, "_ZN9__gnu_cxx");
}

} // namespace

void starts_in(MonitoredThread& self, std::uint32_t function_site) {
  const char* linkage = text_of_site(function_site).function;
  if (is_the_librarys(linkage)) return;
  char plain[512];
  plain_name(linkage, plain, sizeof plain);
  self.has_function = true;
  __sooth_thread.abi.branches = 0; // functions need not tell any more
  knowledge::take_function(g_setup, *self.core, plain);
  note_roles(self);
}

void take_start_function(Thread* t, MonitoredThread& self) {
  for (const std::uint64_t* frame = t->stack; frame < __sooth_thread.abi.stack_top && !self.has_function; ++frame)
    starts_in(self, static_cast<std::uint32_t>(*frame));
}

} // namespace sooth::runtime
