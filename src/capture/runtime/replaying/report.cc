// The outcome in words, for the tool: lines of words separated by tabs.
//
//     stop   thread  kind  address  size  value
//     frame  function  file  line  column          innermost first
//     met    thread  kind  failed
//     event  thread  kind  address  size  value  failed
#include <linux/futex.h>

#include "capture/runtime/modules.h"
#include "capture/runtime/replaying/state.h"

namespace sooth::runtime {

namespace {

// Where lines go: to the outcome, or to what is shown now.
struct Page {
  char* text;
  std::uint32_t* used;
  std::size_t room;
};
Page outcome() { return {g_schedule->text, &g_schedule->text_used, replay::kTextBytes}; }

void put(const Page& page, char c) {
  if (*page.used < page.room) page.text[(*page.used)++] = c;
}
void add(const Page& page, const char* text) {
  for (; *text != 0; ++text) put(page, *text == '\t' || *text == '\n' ? ' ' : *text);
}
void add(const Page& page, std::uint64_t number) {
  char digits[24];
  std::size_t n = sizeof digits - 1;
  digits[n] = 0;
  do digits[--n] = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  add(page, digits + n);
}
template <typename... Words>
void line(const Page& page, const char* first, Words... words) {
  add(page, first);
  ((put(page, '\t'), add(page, words)), ...);
  put(page, '\n');
}

void tell_frame(const Page& page, std::uint32_t site) {
  const SiteText text = text_of_site(site);
  if (text.line == 0 && *text.function == 0) return;
  line(page, "frame", text.function, text.file, std::uint64_t{text.line}, std::uint64_t{text.column});
}

} // namespace

void tell_stop(Thread* t, const ReplayedThread& self, const Met& met) {
  const Page page = outcome();
  line(page, "stop", std::uint64_t{self.row}, static_cast<std::uint64_t>(met.kind), met.address, met.size,
       value_of(met));
  tell_frame(page, met.site);
  const std::uint64_t* frame = __sooth_thread.abi.stack_top;
  if (frame < t->stack || frame > t->stack_end) return;
  for (int depth = 0; frame-- > t->stack && depth < 24; ++depth)
    tell_frame(page, static_cast<std::uint32_t>(*frame >> 32));
}

void tell_divergence(const ReplayedThread* self, const Met* met) {
  if (self == nullptr) return;
  const Page page = outcome();
  line(page, "met", std::uint64_t{self->row}, met != nullptr ? static_cast<std::uint64_t>(met->kind) : std::uint64_t{0},
       std::uint64_t{met != nullptr && met->failed});
  if (met != nullptr) tell_frame(page, met->site);
}

void show(const ReplayedThread& self, const Met& met) {
  if (__builtin_expect(g_schedule->shows == 0, 1)) return;
  if (!is_followed() || replay_cursor() < __atomic_load_n(&g_schedule->show_from, __ATOMIC_ACQUIRE)) return;
  g_schedule->shown_used = 0;
  const Page page = {g_schedule->shown, &g_schedule->shown_used, replay::kShownBytes};
  line(page, "event", std::uint64_t{self.row}, static_cast<std::uint64_t>(met.kind), met.address, met.size,
       value_of(met), std::uint64_t{met.failed});
  tell_frame(page, met.site);
  const std::uint32_t question = __atomic_add_fetch(&g_schedule->asked, 1, __ATOMIC_RELEASE);
  for (std::uint32_t answered;
       is_followed() && (answered = __atomic_load_n(&g_schedule->answered, __ATOMIC_ACQUIRE)) != question;) {
    const timespec second = {1, 0};
    os::call(SYS_futex, reinterpret_cast<long>(&g_schedule->answered), FUTEX_WAIT, answered,
             reinterpret_cast<long>(&second));
  }
}

} // namespace sooth::runtime
