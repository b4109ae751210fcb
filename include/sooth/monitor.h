/* Monitors inside the program (docs/monitors.md): what a program tells them, and what it may ask.
 * C11 and later, C++11 and later.
 *
 * Without Sooth's compilers (which define __SOOTH__) all of this compiles to nothing, and arguments
 * are evaluated in either case. With them, but without monitors (no SOOTH_MONITOR, not built with
 * --monitor), sooth_internal is an event like sooth_event, so that a recorded run can be checked
 * later; the rest does nothing.
 *
 *   sooth_internal("phase", 2);              the calling thread's local variable `phase` is 2 from
 *                                            now on
 *   sooth_on_violation("roll_back", f, context);
 *                                            f is the recovery function that
 *                                            `when violated: call roll_back` names
 *   sooth_known("@reader(y)", &value)        what the calling thread knows now: 1 if it knows, 0 if
 *                                            not
 *   sooth_known_of("@u(phase)", 3, &value)   the same of an expression about a thread variable, for
 *                                            thread 3
 *   sooth_monitored()                        1 if this run has monitors
 *
 * A recovery function runs in the thread whose formula failed, after the event at which it failed.
 * Sooth holds no lock then. It may touch anything, monitored variables too: its events are followed
 * as usual; a formula that fails at one of them is reported, but nothing else is done about it. It
 * may leave by longjmp; an exception must not leave it.
 */
#ifndef SOOTH_MONITOR_H
#define SOOTH_MONITOR_H

#ifdef __cplusplus
extern "C" {
#endif

/* One violation, as a recovery function sees it. Strings live as long as the program. */
typedef struct sooth_violation {
  const char* monitor;    /* its name */
  const char* formula;    /* the entry as it stands in the property file */
  const char* file;       /* where in the source the event is; "" if not known */
  unsigned line;          /* 0 if not known */
  unsigned thread;        /* Sooth's number of this thread; 0 is the main thread */
  unsigned long long nth; /* how many violations of this monitor there have been in this run, with this one */
} sooth_violation;

typedef void (*sooth_recovery)(const sooth_violation* violation, void* context);

#ifdef __SOOTH__

void __sooth_internal(const char* name, long long value);
int __sooth_on_violation(const char* name, sooth_recovery function, void* context);
int __sooth_known(const char* expression, unsigned thread, long long* value);
int __sooth_monitored_run(void);

#define sooth_internal(name, value) __sooth_internal((name), (long long)(value))
#define sooth_on_violation(name, function, context) __sooth_on_violation((name), (function), (context))
#define sooth_known(expression, value) __sooth_known((expression), ~0u, (value))
#define sooth_known_of(expression, thread, value) __sooth_known((expression), (thread), (value))
#define sooth_monitored() __sooth_monitored_run()

#else /* without Sooth */

static inline __attribute__((unused)) void sooth_internal_(const char* name, long long value) {
  (void)name;
  (void)value;
}
static inline __attribute__((unused)) int sooth_on_violation_(const char* name, sooth_recovery function,
                                                              void* context) {
  (void)name;
  (void)function;
  (void)context;
  return 0;
}
static inline __attribute__((unused)) int sooth_known_(const char* expression, unsigned thread, long long* value) {
  (void)expression;
  (void)thread;
  (void)value;
  return 0;
}

#define sooth_internal(name, value) sooth_internal_((name), (long long)(value))
#define sooth_on_violation(name, function, context) sooth_on_violation_((name), (function), (context))
#define sooth_known(expression, value) sooth_known_((expression), ~0u, (value))
#define sooth_known_of(expression, thread, value) sooth_known_((expression), (thread), (value))
#define sooth_monitored() 0

#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
