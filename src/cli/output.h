// Text to the terminal: results to standard output, everything else to standard error.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sooth::cli {

// "sooth: message" on standard error.
void complain(std::string_view message);
void print_error_text(std::string_view text);
// Between these two, complaints wait: what is being done may have to be done again.
void hold_complaints();
void release_complaints();

// A file with this text; false if it could not be written, which has been told.
bool write_file(const std::string& path, const std::string& text);

// Results, collected and written in large pieces.
class Output {
public:
  Output() = default;
  ~Output() { flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    print_all(format, fmt::make_format_args(args...));
  }
  void text(std::string_view text) { print("{}", text); }

  void flush();
  // Nobody reads any more (a closed pipe): the rest need not be made.
  bool closed() const { return closed_; }
  // The command's exit status: kFine, or kWrong if the output could not be written, which is then told.
  int finish();

private:
  // Not in the template: each file that prints would get a copy of the whole library.
  void print_all(fmt::string_view format, fmt::format_args args);

  static constexpr std::size_t kPiece = std::size_t{1} << 16;
  fmt::memory_buffer buffer_;
  bool closed_ = false;
  int error_ = 0; // errno of the first failed write, other than a closed pipe
};

// "1 event", "5 events"
std::string counted(std::uint64_t count, std::string_view noun);
// "512 bytes", "1.5 MiB"
std::string byte_text(std::uint64_t bytes);

} // namespace sooth::cli
