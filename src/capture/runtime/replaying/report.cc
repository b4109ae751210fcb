// The outcome in words, for the tool: lines of words separated by tabs.
//
//     stop   thread  kind  address  size  value
//     frame  function  file  line  column          innermost first
//     met    thread  kind  failed
#include "capture/runtime/modules.h"
#include "capture/runtime/replaying/state.h"

namespace sooth::runtime {

namespace {

void add(const char* text) {
  for (; *text != 0 && g_schedule->text_used < replay::kTextBytes; ++text)
    g_schedule->text[g_schedule->text_used++] = *text == '\t' || *text == '\n' ? ' ' : *text;
}
void add(std::uint64_t number) {
  char digits[24];
  std::size_t n = sizeof digits - 1;
  digits[n] = 0;
  do digits[--n] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  add(digits + n);
}
void put(char c) {
  if (g_schedule->text_used < replay::kTextBytes) g_schedule->text[g_schedule->text_used++] = c;
}
template <typename... Words>
void line(const char* first, Words... words) {
  add(first);
  ((put('\t'), add(words)), ...);
  put('\n');
}

void tell_frame(std::uint32_t site) {
  const SiteText text = text_of_site(site);
  if (text.line == 0 && *text.function == 0) return;
  line("frame", text.function, text.file, std::uint64_t{text.line}, std::uint64_t{text.column});
}

} // namespace

void tell_stop(Thread* t, const ReplayedThread& self, const Met& met) {
  std::uint64_t value = 0;
  if (met.bytes != nullptr) os::copy(&value, met.bytes, met.size < 8 ? met.size : 8);
  line("stop", std::uint64_t{self.row}, static_cast<std::uint64_t>(met.kind), met.address, met.size, value);
  tell_frame(met.site);
  const std::uint64_t* frame = __sooth_thread.abi.stack_top;
  if (frame < t->stack || frame > t->stack_end) return;
  for (int depth = 0; frame-- > t->stack && depth < 24; ++depth) tell_frame(static_cast<std::uint32_t>(*frame >> 32));
}

void tell_divergence(const ReplayedThread* self, const Met* met) {
  if (self == nullptr) return;
  line("met", std::uint64_t{self->row}, met != nullptr ? static_cast<std::uint64_t>(met->kind) : std::uint64_t{0},
       std::uint64_t{met != nullptr && met->failed});
  if (met != nullptr) tell_frame(met->site);
}

} // namespace sooth::runtime
