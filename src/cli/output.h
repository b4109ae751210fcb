// Text for the terminal: results go to standard output, everything else to standard error.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace sooth::cli {

// "sooth: message" on standard error.
void complain(std::string_view message);
void complain_all(const std::vector<std::string>& messages);
// False if the text could not be written. A closed pipe does not count.
bool print_error_text(std::string_view text);
// Between these two calls complaints wait, because the present attempt may be repeated.
void hold_complaints();
void release_complaints();

// Writes a file with this text; false after an error, which has been reported.
bool write_file(const std::string& path, const std::string& text);

// Writes a file piece by piece.
class FileOutput {
public:
  explicit FileOutput(std::string path);
  ~FileOutput();
  FileOutput(const FileOutput&) = delete;
  FileOutput& operator=(const FileOutput&) = delete;

  // False after an error; then the rest need not be made.
  bool write(std::string_view text);
  // Whether all of it is in the file; otherwise it reports the error.
  bool finish();

private:
  const std::string path_;
  std::FILE* file_;
  int error_ = 0;
};

// Collects results and writes them in large pieces.
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
  // The reader closed the pipe: the rest need not be made.
  bool closed() const { return closed_; }
  // The command's exit status: kFine, or kWrong if the output could not be written, which it
  // reports.
  int finish();

private:
  // Not a template, so that not every file that prints gets a copy of the whole library.
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
