// Handlers of both kinds, and what sigaction and signal say about them.
// EXPECT: signal-enter * x5
// EXPECT: signal-exit * x5
// EXPECT: signal-change * x8
// EXPECT-OUTPUT: 10 12 10
// EXPECT-OUTPUT: own handler, own flags, default, ignored, reset, crash default
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t seen[4];
static volatile sig_atomic_t count;

static void simple(int number) { seen[count++] = number; }
static void detailed(int number, siginfo_t* information, void* context) {
  if (information->si_signo == number && context != NULL) seen[count++] = number;
}
static void quiet(int number) { (void)number; }

int main(void) {
  struct sigaction action, old;
  memset(&action, 0, sizeof action);
  signal(SIGUSR1, simple);
  action.sa_sigaction = detailed;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGUSR2, &action, NULL);
  raise(SIGUSR1);
  raise(SIGUSR2);
  raise(SIGUSR1);
  printf("%d %d %d\n", (int)seen[0], (int)seen[1], (int)seen[2]);

  sigaction(SIGUSR1, NULL, &old);
  printf("%s, ", old.sa_handler == simple && signal(SIGUSR1, SIG_DFL) == simple ? "own handler" : "?");
  sigaction(SIGUSR2, NULL, &old);
  printf("%s, ", old.sa_sigaction == detailed && (old.sa_flags & (SA_SIGINFO | SA_NODEFER)) == (SA_SIGINFO | SA_NODEFER)
                     ? "own flags"
                     : "?");
  sigaction(SIGUSR1, NULL, &old);
  printf("%s, ", old.sa_handler == SIG_DFL ? "default" : "?");
  signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);
  printf("%s, ", signal(SIGUSR1, SIG_DFL) == SIG_IGN ? "ignored" : "?");

  action.sa_handler = quiet;
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  sigaction(SIGUSR1, NULL, &old);
  printf("%s, ", old.sa_handler == SIG_DFL ? "reset" : "?");

  sigaction(SIGSEGV, NULL, &old);
  const int untouched = old.sa_handler == SIG_DFL;
  const int before = signal(SIGSEGV, quiet) == SIG_DFL;
  raise(SIGSEGV);
  printf("%s\n", untouched && before && signal(SIGSEGV, SIG_DFL) == quiet ? "crash default" : "?");
  return 0;
}
