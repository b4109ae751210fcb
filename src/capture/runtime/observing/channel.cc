#include "capture/runtime/observing/channel.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "capture/runtime/observing/lock.h"
#include "capture/runtime/os.h"

namespace sooth::runtime::observing {
namespace {

namespace wire = observe::wire;

struct Channel {
  FutexLock lock;
  int socket = -1;
  bool used = false;              // since somebody asked
  std::uint8_t* answer = nullptr; // room for one frame, made when it is first needed
  std::uint64_t patience = 0;     // seconds that it waits for an answer
};
Channel g_channels[kDataChannels + 1];

union Address {
  sockaddr any;
  sockaddr_un local;
  sockaddr_in v4;
  sockaddr_in6 v6;
};
Address g_address;
socklen_t g_address_bytes;
std::uint8_t g_session[wire::kSessionBytes];
char g_token[wire::kMaxText];
std::size_t g_token_bytes;
char g_name[256];
bool g_there;
// Seconds: for the answer to a hello; for other answers, since an observer may have much to do.
constexpr std::uint64_t kHelloPatience = 10, kAnswerPatience = 60;

bool starts_with(const char* text, const char* prefix) {
  while (*prefix != 0)
    if (*text++ != *prefix++) return false;
  return true;
}

bool parse_port(const char* text, std::uint16_t& port) {
  unsigned value = 0;
  if (*text == 0) return false;
  for (; *text != 0; ++text) {
    if (*text < '0' || *text > '9' || (value = value * 10 + static_cast<unsigned>(*text - '0')) > 65535) return false;
  }
  port = htons(static_cast<std::uint16_t>(value));
  return value != 0;
}

// Numeric addresses only: code inside another program must not look up names.
bool parse_tcp(const char* text) {
  const char* colon = nullptr;
  for (const char* c = text; *c != 0; ++c)
    if (*c == ':') colon = c;
  if (colon == nullptr) return false;
  char host[64] = {};
  const bool bracketed = *text == '[' && colon > text && colon[-1] == ']';
  const char* from = text + bracketed;
  const auto n = static_cast<std::size_t>(colon - from) - bracketed;
  if (n == 0 || n >= sizeof host) return false;
  os::copy(host, from, n);
  const bool local = starts_with(host, "localhost") && host[9] == 0;
  if (local || inet_pton(AF_INET, host, &g_address.v4.sin_addr) == 1) {
    if (local) g_address.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    g_address.v4.sin_family = AF_INET;
    g_address_bytes = sizeof g_address.v4;
    return parse_port(colon + 1, g_address.v4.sin_port);
  }
  if (inet_pton(AF_INET6, host, &g_address.v6.sin6_addr) != 1) return false;
  g_address.v6.sin6_family = AF_INET6;
  g_address_bytes = sizeof g_address.v6;
  return parse_port(colon + 1, g_address.v6.sin6_port);
}

bool parse_address(const char* text) {
  os::zero(&g_address, sizeof g_address);
  if (starts_with(text, "tcp:")) return parse_tcp(text + 4);
  if (!starts_with(text, "unix:")) return false;
  const std::size_t n = os::length(text + 5);
  if (n == 0 || n >= sizeof g_address.local.sun_path) return false;
  g_address.local.sun_family = AF_UNIX;
  os::copy(g_address.local.sun_path, text + 5, n);
  g_address_bytes = sizeof g_address.local;
  return true;
}

// The kernel counts anew after each signal; the program may have a timer.
class Deadline {
public:
  explicit Deadline(std::uint64_t seconds) : end_(os::now_ns() + seconds * 1'000'000'000) {}
  bool is_over() const { return os::now_ns() > end_; }

private:
  std::uint64_t end_;
};

// Until the hello is answered, everything gives up after a while. Then only receives do: an
// observer that takes no events is slow, and the program waits for it.
void set_patience(Channel& channel, bool hello) {
  channel.patience = hello ? kHelloPatience : kAnswerPatience;
  const timeval sends = {hello ? static_cast<long>(kHelloPatience) : 0, 0};
  const timeval receives = {static_cast<long>(channel.patience), 0};
  os::call(SYS_setsockopt, channel.socket, SOL_SOCKET, SO_SNDTIMEO, reinterpret_cast<long>(&sends), sizeof sends);
  os::call(SYS_setsockopt, channel.socket, SOL_SOCKET, SO_RCVTIMEO, reinterpret_cast<long>(&receives), sizeof receives);
}

bool send_all(int socket, const std::uint8_t* bytes, std::size_t size) {
  while (size != 0) {
    const long n = os::call(SYS_sendto, socket, reinterpret_cast<long>(bytes), static_cast<long>(size), MSG_NOSIGNAL);
    if (n == -EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool receive_all(const Channel& channel, std::uint8_t* bytes, std::size_t size) {
  const Deadline deadline(channel.patience);
  while (size != 0) {
    const long n = os::call(SYS_recvfrom, channel.socket, reinterpret_cast<long>(bytes), static_cast<long>(size), 0);
    if (n == -EINTR && !deadline.is_over()) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

const std::uint8_t* receive(Channel& channel, std::size_t& size) {
  std::uint8_t length[wire::kLengthBytes];
  if (channel.answer == nullptr) channel.answer = static_cast<std::uint8_t*>(os::pages(wire::kMaxFrame));
  if (channel.answer == nullptr || !receive_all(channel, length, sizeof length)) return nullptr;
  size = wire::length_at(length);
  if (size == 0 || size > wire::kMaxFrame || !receive_all(channel, channel.answer, size)) return nullptr;
  return channel.answer;
}

void gone() {
  if (__atomic_exchange_n(&g_there, false, __ATOMIC_ACQ_REL))
    complain("the observer has gone; the program goes on and is not observed any more", nullptr, 0);
}

bool say_hello(Channel& channel, wire::Role role) {
  std::uint8_t frame[wire::kMaxText + 1024];
  wire::Out out{frame + wire::kLengthBytes, frame + sizeof frame};
  out.byte(static_cast<std::uint8_t>(wire::Type::Hello));
  out.number(wire::kMagic);
  out.number(wire::kVersion);
  out.number(static_cast<std::uint64_t>(role));
  out.bytes(g_session, sizeof g_session);
  out.text(g_token, g_token_bytes);
  out.text(g_name, os::length(g_name));
  out.number(static_cast<std::uint64_t>(os::pid()));
  wire::put_length(frame, static_cast<std::size_t>(out.at - frame) - wire::kLengthBytes);
  std::size_t size = 0;
  const std::uint8_t* answer = nullptr;
  if (out.ok && send_all(channel.socket, frame, static_cast<std::size_t>(out.at - frame)))
    answer = receive(channel, size);
  if (answer == nullptr) return false;
  wire::In in{answer, answer + size};
  const auto type = static_cast<wire::Type>(in.byte());
  if (type == wire::Type::Welcome) return true;
  if (type == wire::Type::Refused) {
    const auto n = static_cast<std::size_t>(in.number(wire::kMaxText));
    if (const std::uint8_t* why = in.bytes(n)) complain("the observer refused", reinterpret_cast<const char*>(why), n);
  }
  return false;
}

bool connect_channel(Channel& channel, wire::Role role) {
  const long low = os::call(SYS_socket, g_address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (os::failed(low)) return false;
  // Out of the way of programs that count on getting small descriptors.
  const long high = os::call(SYS_fcntl, low, F_DUPFD_CLOEXEC, 900);
  channel.socket = static_cast<int>(os::failed(high) ? low : high);
  if (!os::failed(high)) os::call(SYS_close, low);
  const int on = 1; // small messages go at once
  if (g_address.any.sa_family != AF_UNIX)
    os::call(SYS_setsockopt, channel.socket, IPPROTO_TCP, TCP_NODELAY, reinterpret_cast<long>(&on), sizeof on);
  set_patience(channel, true);
  long result;
  do result = os::call(SYS_connect, channel.socket, reinterpret_cast<long>(&g_address), g_address_bytes);
  while (result == -EINTR);
  if (!os::failed(result) && say_hello(channel, role)) {
    set_patience(channel, false);
    return true;
  }
  os::call(SYS_close, channel.socket);
  channel.socket = -1;
  return false;
}

} // namespace

void complain(const char* what, const char* more, std::size_t length) {
  char line[wire::kMaxText + 512];
  std::size_t used = 0;
  const auto add = [&](const char* text, std::size_t n) {
    for (std::size_t i = 0; i < n && used + 2 < sizeof line; ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      line[used++] = c < 32 && c != '\n' ? ' ' : text[i]; // text from the wire must not control terminals
    }
  };
  add("sooth: ", 7);
  add(what, os::length(what));
  if (more != nullptr) {
    add(": ", 2);
    add(more, length);
  }
  if (line[used - 1] != '\n') line[used++] = '\n';
  os::call(SYS_write, 2, reinterpret_cast<long>(line), static_cast<long>(used));
}

bool observer_is_there() { return __atomic_load_n(&g_there, __ATOMIC_ACQUIRE); }

bool open_channels(const char* address, const char* token, const char* program) {
  if (!parse_address(address)) {
    complain("SOOTH_OBSERVER must be unix:PATH or tcp:ADDRESS:PORT, not", address, os::length(address));
    return false;
  }
  os::call(SYS_getrandom, reinterpret_cast<long>(g_session), sizeof g_session, 0);
  if (token != nullptr) {
    g_token_bytes = os::length(token);
    if (g_token_bytes > sizeof g_token) g_token_bytes = sizeof g_token;
    os::copy(g_token, token, g_token_bytes);
  }
  std::size_t n = os::length(program);
  if (n >= sizeof g_name) n = sizeof g_name - 1;
  os::copy(g_name, program, n);
  if (!connect_channel(g_channels[kControlChannel], wire::Role::Control)) {
    complain("the program is not observed; there is no answer from", address, os::length(address));
    return false;
  }
  __atomic_store_n(&g_there, true, __ATOMIC_RELEASE);
  return true;
}

void forget_channels() {
  for (Channel& channel : g_channels) {
    channel.lock.reset();
    if (channel.socket >= 0) os::call(SYS_close, channel.socket);
    channel.socket = -1;
  }
  g_there = false;
}

bool send_frames(unsigned number, const std::uint8_t* bytes, std::size_t size) {
  Channel& channel = g_channels[number];
  channel.lock.lock();
  const bool sent = observer_is_there() && (channel.socket >= 0 || connect_channel(channel, wire::Role::Data)) &&
                    send_all(channel.socket, bytes, size);
  __atomic_store_n(&channel.used, true, __ATOMIC_RELEASE);
  channel.lock.unlock();
  if (!sent) gone();
  return sent;
}

bool take_used(unsigned number) { return __atomic_exchange_n(&g_channels[number].used, false, __ATOMIC_ACQ_REL); }

const std::uint8_t* send_and_receive(unsigned number, const std::uint8_t* bytes, std::size_t size,
                                     std::size_t& answer) {
  Channel& channel = g_channels[number];
  if (size != 0 && !send_frames(number, bytes, size)) return nullptr;
  const std::uint8_t* body = channel.socket >= 0 && observer_is_there() ? receive(channel, answer) : nullptr;
  if (body == nullptr) gone();
  return body;
}

} // namespace sooth::runtime::observing
