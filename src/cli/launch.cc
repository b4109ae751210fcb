#include "cli/launch.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/guarded.h"

namespace sooth::cli {

namespace {

constexpr std::array kForwarded = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile sig_atomic_t g_child = 0;      // written before the handlers are installed
volatile sig_atomic_t g_interrupts = 0; // that were meant to end the child

void forward(int signal, siginfo_t* info, void*) {
  if (signal == SIGINT || signal == SIGTERM) g_interrupts = g_interrupts + 1;
  // The terminal sends a signal to the whole foreground group: the program already has it.
  if (info->si_code == SI_KERNEL || g_child <= 0) return;
  const int saved = errno;
  kill(static_cast<pid_t>(g_child), signal);
  errno = saved;
}

// Passes signals on to the child while it lives, and then restores the previous handlers.
class Forwarding {
public:
  explicit Forwarding(pid_t child) : outer_(static_cast<pid_t>(g_child)) {
    g_interrupts = 0;
    g_child = child;
    struct sigaction action = {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kForwarded.size(); ++i) {
      sigaction(kForwarded[i], nullptr, &before_[i]);
      // A signal that is ignored, as under nohup, stays ignored.
      if (before_[i].sa_handler != SIG_IGN) sigaction(kForwarded[i], &action, nullptr);
    }
  }
  ~Forwarding() {
    for (std::size_t i = 0; i < kForwarded.size(); ++i) sigaction(kForwarded[i], &before_[i], nullptr);
    g_child = outer_;
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

private:
  pid_t outer_; // the child of an outer instance, which waits meanwhile
  std::array<struct sigaction, kForwarded.size()> before_{};
};

class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t wanted;
    sigemptyset(&wanted);
    for (const int signal : kForwarded) sigaddset(&wanted, signal);
    pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  }
  ~BlockedSignals() { restore(); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  void restore() const { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_;
};

Ended wait_for(pid_t child) {
  Ended ended{child, 0};
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

// `in_child` runs in the new process and must not return.
template <typename InChild>
Result<Ended> fork_and_wait(InChild&& in_child, const std::function<void(pid_t)>& watch = {}, bool forwards = true) {
  const BlockedSignals blocked; // so that none gets lost between fork and the handlers
  const pid_t child = fork();
  if (child < 0) return Error{fmt::format("cannot start a process: {}.", std::strerror(errno)), "", 0, 0};
  if (child == 0) {
    blocked.restore();
    in_child();
    _exit(127);
  }
  std::optional<Forwarding> forwarding;
  if (forwards) forwarding.emplace(child);
  blocked.restore();
  if (watch) watch(child);
  return wait_for(child);
}

void prepare_child(const Environment& environment) {
  for (const auto& [name, value] : environment.set) setenv(name.c_str(), value.c_str(), 1);
  if (environment.fixed_addresses) personality(ADDR_NO_RANDOMIZE); // refused: addresses differ
  if (environment.dies_with_us) prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!environment.silent) return;
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (nothing >= 0) dup2(nothing, stream);
}

} // namespace

int interrupts() { return g_interrupts; }

Result<Ended> launch(const std::vector<std::string>& arguments, const Environment& environment,
                     const std::function<void(pid_t)>& watch) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str())); // exec only reads
  argv.push_back(nullptr);

  // The pipe closes if exec succeeds; otherwise it carries the error.
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0)
    return Error{fmt::format("cannot start a process: {}.", std::strerror(errno)), "", 0, 0};
  const auto ended = fork_and_wait(
      [&] {
        prepare_child(environment);
        execv(argv[0], argv.data());
        const int reason = errno;
        [[maybe_unused]] const ssize_t written = write(report[1], &reason, sizeof reason);
        _exit(127);
      },
      watch, !environment.unattended);
  close(report[1]);
  int reason = 0;
  const ssize_t got = read(report[0], &reason, sizeof reason);
  close(report[0]);
  if (got == sizeof reason)
    return Error{fmt::format("cannot run {}: {}.", arguments[0], std::strerror(reason)), "", 0, 0};
  return ended;
}

Result<Ended> run_in_child(const std::function<int()>& body, const std::function<void(pid_t)>& watch) {
  std::fflush(nullptr); // or the child would print it again
  return fork_and_wait([&] { _exit(guarded(body)); }, watch);
}

int end_like(const Ended& ended) {
  if (WIFEXITED(ended.status)) return WEXITSTATUS(ended.status);
  const int signal = WIFSIGNALED(ended.status) ? WTERMSIG(ended.status) : SIGKILL;
  const rlimit no_core = {0, 0}; // the program's core, if any, is the interesting one
  setrlimit(RLIMIT_CORE, &no_core);
  std::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  return 128 + signal;
}

std::string find_program(const std::string& name) {
  const auto is_program = [](const std::string& path) {
    struct stat info = {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return name;
  if (is_program(name)) return "./" + name;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string candidate = (folder.empty() ? "." : folder) + "/" + name; is_program(candidate))
      return candidate;
  return {};
}

} // namespace sooth::cli
