// Signals: events around the program's signal handlers, and last words at a crash.
//
// The kernel gets our wrapper in place of each handler. The table below has the handlers that the
// program believes are installed, and answers the program's queries. Default and ignored
// dispositions are left alone, except for the fatal signals: a handler that ends the trace and dies
// the same death replaces their default disposition.
#include "capture/runtime/interceptors/signals.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/runtime/interceptors/calls.h"
#include "capture/runtime/interceptors/last_words.h"
#include "capture/runtime/interceptors/real.h"
#include "capture/runtime/observing/observing.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/file.h"
#include "capture/runtime/recording/ownership.h"
#include "capture/runtime/thread.h"

using namespace sooth::runtime;
using namespace sooth::trace;

namespace {

using Handler = void (*)(int, siginfo_t*, void*);
constexpr int kSignals = 65;
constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

// The handler that the program installed last. The lock guards changes; wrappers read `handler` and
// `flags` without it.
struct Entry {
  struct sigaction action;
  Handler handler;
  int flags;
};
Entry g_table[kSignals];
os::SpinLock g_lock;
bool g_crash_handlers;
__attribute__((tls_model("initial-exec"))) constinit thread_local bool t_expects_signal = false;

bool is_fatal(int number) {
  for (const int fatal : kFatal)
    if (number == fatal) return true;
  return false;
}

// Like sigaction, but returns the kernel's answer as it is.
int install(int number, const struct sigaction* action, struct sigaction* old);

// If the thread's newest access faulted, the fault has its site. Otherwise only the function is
// known.
std::uint32_t site_of_fault(const Thread* t, const void* address) {
  const RawEvent& last = *t->last;
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const bool access = last.kind == static_cast<std::uint8_t>(EventKind::Read) ||
                      last.kind == static_cast<std::uint8_t>(EventKind::Write);
  return access && at - last.address < 8 ? last.site : 0;
}

// A signal from another process is not a fault of the program.
void tell_crash(int number, const siginfo_t* info) {
  const bool fault = info != nullptr && info->si_code > 0;
  if (info != nullptr && !fault && info->si_pid != os::pid()) return;
  Thread* t = enter();
  if (t == nullptr) return;
  const void* address = fault ? info->si_addr : nullptr;
  if (fault) __sooth_thread.abi.call_site = site_of_fault(t, address);
  sync(t, EventKind::Crash, address, static_cast<std::uint64_t>(number) | std::uint64_t{last_words()} << 32,
       fault ? kFill : 0);
}

void on_crash(int number, siginfo_t* info, void*) {
  tell_crash(number, info);
  finish(EndKind::Signal, number);
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  install(number, &standard, nullptr);
  // A fault comes again when the instruction is retried, with the same core dump. A signal that was
  // sent does not come again, nor does a trap: it comes after its instruction.
  const bool comes_again = info != nullptr && info->si_code > 0 && number != SIGTRAP && number != SIGSYS;
  if (!comes_again) {
    os::call(SYS_tgkill, os::pid(), os::call(SYS_gettid), number);
  }
}

void install_crash_handler(int number) {
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK; // the stack may be what overflowed
  sigfillset(&action.sa_mask);
  install(number, &action, nullptr);
}

// Whether the handler runs at a place of the program that is known, not at any.
bool is_expected(int number, const siginfo_t* info) {
  return t_expects_signal || (is_fatal(number) && info != nullptr && info->si_code > 0);
}

void on_signal(int number, siginfo_t* info, void* context) {
  const Handler handler = __atomic_load_n(&g_table[number].handler, __ATOMIC_ACQUIRE);
  // The kernel has restored the default disposition; our handler has to see the next one.
  if ((g_table[number].flags & SA_RESETHAND) && g_crash_handlers && is_fatal(number)) install_crash_handler(number);
  const int saved_errno = errno;
  Thread* t = enter();
  const auto* address = reinterpret_cast<const void*>(handler);
  const bool expected = is_expected(number, info);
  const HandlerOwnsNothing owns_nothing(t);
  if (t != nullptr) sync(t, EventKind::SignalEnter, address, static_cast<std::uint64_t>(number), expected ? kFill : 0);
  {
    const ExpectsSignal inside(false); // another one may interrupt it anywhere
    errno = saved_errno;
    // A handler without SA_SIGINFO ignores the other two, as it does when the kernel calls it.
    handler(number, info, context);
  }
  const int left_errno = errno;
  if (t != nullptr)
    sync(t, EventKind::SignalExit, address, static_cast<std::uint64_t>(number),
         left_errno != saved_errno ? kFailed : 0);
  errno = left_errno;
}

bool is_handler(const struct sigaction& action) { return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN; }
bool is_ours(const struct sigaction& action, Handler wrapper) {
  return reinterpret_cast<void*>(action.sa_handler) == reinterpret_cast<void*>(wrapper);
}

// The answer that the program gets for `real`, which the kernel has.
struct sigaction shown(int number, const struct sigaction& real) {
  return is_ours(real, on_signal) || is_ours(real, on_crash) ? g_table[number].action : real;
}

int change(int number, const struct sigaction* action, struct sigaction* old) {
  struct sigaction before = {};
  if (action != nullptr) changes_signals();
  os::Guard guard(g_lock);
  if (const int result = install(number, nullptr, &before); result != 0) return result;
  const struct sigaction reported = shown(number, before);
  if (action != nullptr) {
    struct sigaction real = *action;
    Entry& entry = g_table[number];
    if (is_handler(*action)) {
      // Before the kernel knows: the wrapper may run at once. A signal in flight reaches the new
      // handler, as if it had come a moment later.
      entry.flags = action->sa_flags;
      __atomic_store_n(&entry.handler, reinterpret_cast<Handler>(reinterpret_cast<void*>(action->sa_handler)),
                       __ATOMIC_RELEASE);
      observing::handlers_in_use();
      set_file_flag(kMayBeInterrupted, true);
      real.sa_sigaction = on_signal;
      real.sa_flags |= SA_SIGINFO;
    } else if (action->sa_handler == SIG_DFL && g_crash_handlers && is_fatal(number)) {
      real.sa_sigaction = on_crash;
      real.sa_flags = SA_SIGINFO | SA_ONSTACK;
      sigfillset(&real.sa_mask);
    }
    if (const int result = install(number, &real, nullptr); result != 0) return result;
    entry.action = *action;
  }
  if (old != nullptr) *old = reported;
  return 0;
}

// The simple interfaces, in terms of `change`.
sighandler_t set_handler(int number, sighandler_t handler, int flags, bool masks_itself) {
  if (number <= 0 || number >= kSignals || handler == SIG_ERR) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (masks_itself) sigaddset(&action.sa_mask, number);
  return change(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

} // namespace

INTERCEPT(int, sigaction, (int number, const struct sigaction* action, struct sigaction* old)) {
  if (number <= 0 || number >= kSignals) return REAL(sigaction)(number, action, old);
  return change(number, action, old);
}

namespace {
int install(int number, const struct sigaction* action, struct sigaction* old) {
  return REAL(sigaction)(number, action, old);
}
} // namespace

INTERCEPT(sighandler_t, signal, (int number, sighandler_t handler)) {
  return set_handler(number, handler, SA_RESTART, true);
}
INTERCEPT(sighandler_t, bsd_signal, (int number, sighandler_t handler)) {
  return set_handler(number, handler, SA_RESTART, true);
}
INTERCEPT(sighandler_t, ssignal, (int number, sighandler_t handler)) {
  return set_handler(number, handler, SA_RESTART, true);
}
INTERCEPT(sighandler_t, sysv_signal, (int number, sighandler_t handler)) {
  return set_handler(number, handler, SA_RESETHAND | SA_NODEFER, false);
}
INTERCEPT(sighandler_t, __sysv_signal, (int number, sighandler_t handler)) {
  return set_handler(number, handler, SA_RESETHAND | SA_NODEFER, false);
}

INTERCEPT(sighandler_t, sigset, (int number, sighandler_t handler)) {
  // It also unblocks the signal, and knows SIG_HOLD. The real function handles the cases that need
  // no wrapper.
  if (handler == SIG_HOLD || number <= 0 || number >= kSignals) return REAL(sigset)(number, handler);
  sigset_t one;
  sigset_t before;
  sigemptyset(&one);
  sigaddset(&one, number);
  const sighandler_t old = set_handler(number, handler, 0, false);
  if (old == SIG_ERR || sigprocmask(SIG_UNBLOCK, &one, &before) != 0) return SIG_ERR;
  return sigismember(&before, number) ? SIG_HOLD : old;
}

// Timers and queues may notify by a thread that libc makes, or by a signal.
INTERCEPT_VERSION(int, timer_create, "GLIBC_2.3.3", (clockid_t clock, struct sigevent* event, timer_t* timer)) {
  set_file_flag(kMayBeInterrupted, true);
  return REAL(timer_create)(clock, event, timer);
}
INTERCEPT(int, mq_notify, (int queue, const struct sigevent* event)) {
  set_file_flag(kMayBeInterrupted, true);
  return REAL(mq_notify)(queue, event);
}

namespace sooth::runtime {

ExpectsSignal::ExpectsSignal(bool expects) : before_(t_expects_signal) { t_expects_signal = expects; }
ExpectsSignal::~ExpectsSignal() { t_expects_signal = before_; }

void reset_signal_lock() { g_lock.reset(); }

void install_crash_handlers() {
  g_crash_handlers = true;
  for (const int number : kFatal) {
    struct sigaction now = {};
    if (install(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    g_table[number].action = now;
    install_crash_handler(number);
  }
}

} // namespace sooth::runtime
