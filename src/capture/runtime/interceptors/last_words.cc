// The functions by which a program ends itself when something is wrong. Their message is kept for
// the crash handler, which records it (signals.cc). Then the real function does its work.
#include "capture/runtime/interceptors/last_words.h"

#include "capture/runtime/interceptors/real.h"
#include "capture/runtime/os.h"

using namespace sooth::runtime;

// Of libstdc++, if the program has it. The type's name is its second word.
extern "C" __attribute__((weak)) void* __cxa_current_exception_type();

namespace {

__attribute__((tls_model("initial-exec"))) thread_local std::uint32_t t_last_words;

struct Words {
  char text[256];
  std::size_t used = 0;
  Words& add(const char* more) {
    for (; more != nullptr && *more != 0 && used + 1 < sizeof text; ++more) text[used++] = *more;
    text[used] = 0;
    return *this;
  }
  Words& add(unsigned number) {
    char digits[12];
    std::size_t n = sizeof digits;
    digits[--n] = 0;
    do digits[--n] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return add(digits + n);
  }
  // The reader demangles the text behind the sign.
  Words& add_exception() {
    if (__cxa_current_exception_type == nullptr) return *this;
    void* type = __cxa_current_exception_type();
    if (type == nullptr) return *this;
    const char* name = static_cast<const char* const*>(type)[1];
    return add(" exception=").add(name[0] == '*' ? name + 1 : name);
  }
};

const char* without_folder(const char* path) {
  const char* base = path;
  for (const char* c = path; c != nullptr && *c != 0; ++c)
    if (*c == '/') base = c + 1;
  return base;
}

// The first words count: std::terminate calls abort.
void say(const Words& words) {
  if (t_last_words == 0 && enter() != nullptr) t_last_words = intern(words.text);
}

void say_failed(const char* assertion, const char* file, unsigned line, const char* function) {
  Words words;
  words.add(without_folder(file)).add(":").add(line).add(": ");
  if (function != nullptr) words.add(function).add(": ");
  say(words.add("assertion `").add(assertion).add("` failed"));
}

} // namespace

namespace sooth::runtime {
std::uint32_t last_words() { return t_last_words; }
} // namespace sooth::runtime

INTERCEPT(void, __assert_fail, (const char* assertion, const char* file, unsigned line, const char* function)) {
  say_failed(assertion, file, line, function);
  REAL(__assert_fail)(assertion, file, line, function);
}
INTERCEPT(void, __assert, (const char* assertion, const char* file, int line)) {
  say_failed(assertion, file, static_cast<unsigned>(line), nullptr);
  REAL(__assert)(assertion, file, line);
}
INTERCEPT(void, abort, ()) {
  say(Words().add("abort was called").add_exception());
  REAL(abort)();
}
// std::terminate()
INTERCEPT(void, _ZSt9terminatev, ()) {
  say(Words().add("std::terminate was called").add_exception());
  REAL(_ZSt9terminatev)();
}
