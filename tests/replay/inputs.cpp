// Takes its locks in an order that depends on what it gets from outside: argv[1] says from where.
// The recorded run prints it. Another run (KEY is set) has the deadlock only if it gets the same.
#include <arpa/inet.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <mutex>
#include <poll.h>
#include <random>
#include <string>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "../pairs/pair.h"

std::mutex first, second;
char** arguments;

std::string of(long number) { return std::to_string(number); }

int connected() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(arguments[2])));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) std::exit(3);
  return socket;
}

int listening() {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un here = {};
  here.sun_family = AF_UNIX;
  std::strcpy(here.sun_path, arguments[2]);
  unlink(here.sun_path);
  if (bind(socket, reinterpret_cast<sockaddr*>(&here), sizeof here) != 0 || listen(socket, 4) != 0) std::exit(4);
  return socket;
}

std::string bytes_of(int file) {
  std::string all;
  char some[64];
  for (ssize_t n; (n = read(file, some, sizeof some)) > 0;) all.append(some, static_cast<std::size_t>(n));
  return all;
}

std::string line_of(std::istream& in) {
  std::string line;
  std::getline(in, line);
  return line;
}

const std::map<std::string, std::function<std::string()>> kSources = {
    {"clock_gettime",
     [] {
       timespec now;
       clock_gettime(CLOCK_REALTIME, &now);
       return of(now.tv_nsec);
     }},
    {"gettimeofday",
     [] {
       timeval now;
       gettimeofday(&now, nullptr);
       return of(now.tv_usec);
     }},
    {"chrono", [] { return of(std::chrono::steady_clock::now().time_since_epoch().count()); }},
    {"rand",
     [] {
       std::srand(static_cast<unsigned>(std::time(nullptr) + std::clock()));
       return of(std::rand());
     }},
    {"random_device", [] { return of(std::random_device{}()); }},
    {"getrandom",
     [] {
       long number;
       return of(getrandom(&number, sizeof number, 0) == sizeof number ? number : 0);
     }},
    {"arc4random", [] { return of(arc4random()); }},
    {"urandom",
     [] {
       long number = 0;
       std::FILE* file = std::fopen("/dev/urandom", "r");
       if (std::fread(&number, sizeof number, 1, file) != 1) return std::string();
       std::fclose(file);
       return of(number);
     }},
    {"ids", [] { return of(getpid()) + " " + of(gettid()); }},
    {"scanf",
     [] {
       int a = 0, b = 0;
       std::FILE* file = std::fopen(arguments[2], "r");
       if (file == nullptr || std::fscanf(file, "%d %d", &a, &b) != 2) return std::string("nothing");
       std::fseek(file, 0, SEEK_END);
       const long size = std::ftell(file);
       std::fclose(file);
       return of(a) + " " + of(b) + " " + of(size);
     }},
    {"getline",
     [] {
       std::ifstream file(arguments[2]);
       return line_of(file) + line_of(file);
     }},
    {"read",
     [] {
       const int file = open(arguments[2], O_RDONLY);
       struct stat info = {};
       fstat(file, &info);
       const std::string all = bytes_of(file);
       close(file);
       return all.substr(0, all.find('\n')) + of(info.st_mtim.tv_nsec);
     }},
    {"missing", [] { return access(arguments[2], F_OK) != 0 ? "not there" : "there"; }},
    {"cin", [] { return line_of(std::cin) + line_of(std::cin); }},
    {"pipe", // from another thread, through the kernel
     [] {
       int ends[2];
       if (pipe(ends) != 0) return std::string();
       std::thread writer([end = ends[1]] {
         const std::string text = of(std::random_device{}());
         if (write(end, text.data(), text.size()) < 0) std::exit(5);
         close(end);
       });
       const std::string all = bytes_of(ends[0]);
       writer.join();
       return all;
     }},
    {"client",
     [] {
       const int socket = connected();
       if (send(socket, "who?", 4, 0) != 4) return std::string();
       return bytes_of(socket);
     }},
    {"server",
     [] {
       const int socket = listening(), many = epoll_create1(0);
       pollfd wanted = {socket, POLLIN, 0};
       poll(&wanted, 1, -1);
       const int client = accept(socket, nullptr, nullptr);
       epoll_event event = {};
       event.events = EPOLLIN;
       event.data.fd = client;
       epoll_ctl(many, EPOLL_CTL_ADD, client, &event);
       epoll_wait(many, &event, 1, -1);
       return bytes_of(event.data.fd);
     }},
};

void forwards() {
  const std::lock_guard<std::mutex> outer(first);
  const std::lock_guard<std::mutex> inner(second);
}

int main(int, char** argv) {
  arguments = argv;
  const std::string key = kSources.at(argv[1])();
  std::puts(key.c_str());
  std::fflush(stdout);
  const char* known = std::getenv("KEY");
  std::thread thread([] {
    at(0);
    forwards();
    at(1);
  });
  at(2);
  if (known == nullptr || key == known) {
    const std::lock_guard<std::mutex> outer(second);
    const std::lock_guard<std::mutex> inner(first);
  } else {
    forwards();
  }
  thread.join();
}
