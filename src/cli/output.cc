#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "cli/command.h"
#include "report/terminal/printable.h"

namespace sooth::cli {

namespace {

bool g_holding = false; // only the command's own thread complains
std::string g_held;

} // namespace

bool print_error_text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stderr) == text.size()) return true;
  return errno == EPIPE || errno == EBADF;
}

void complain_all(const std::vector<std::string>& messages) {
  for (const std::string& message : messages) complain(message);
}

void complain(std::string_view message) {
  const std::string line = "sooth: " + report::printable_lines(message) + "\n"; // names may be the program's
  if (g_holding) g_held += line;
  else print_error_text(line);
}

void hold_complaints() { g_holding = true; }

void release_complaints() {
  print_error_text(g_held);
  g_held.clear();
  g_holding = false;
}

FileOutput::FileOutput(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
  if (file_ == nullptr) error_ = errno;
}

FileOutput::~FileOutput() {
  if (file_ != nullptr) std::fclose(file_);
}

bool FileOutput::write(std::string_view text) {
  if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno != 0 ? errno : EIO;
  return error_ == 0;
}

bool FileOutput::finish() {
  // A full disk may fail only the last write.
  if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
  if (file_ != nullptr && std::fclose(file_) != 0 && error_ == 0) error_ = errno;
  file_ = nullptr;
  if (error_ == 0) return true;
  complain(fmt::format("cannot write {}: {}.", path_, std::strerror(error_)));
  return false;
}

bool write_file(const std::string& path, const std::string& text) {
  FileOutput out(path);
  out.write(text);
  return out.finish();
}

void Output::print_all(fmt::string_view format, fmt::format_args args) {
  fmt::vformat_to(fmt::appender(buffer_), format, args);
  if (buffer_.size() >= kPiece) flush();
}

void Output::flush() {
  const char* data = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0 && !closed_) {
    const ssize_t written = ::write(STDOUT_FILENO, data, left);
    if (written >= 0) {
      data += written;
      left -= static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      if (errno != EPIPE) error_ = errno;
      closed_ = true;
    }
  }
  buffer_.clear();
}

int Output::finish() {
  flush();
  if (error_ == 0) return kFine;
  complain(fmt::format("cannot write the result: {}.", std::strerror(error_)));
  return kWrong;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string byte_text(std::uint64_t bytes) {
  constexpr std::string_view units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return counted(bytes, "byte");
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
  return fmt::format("{:.1f} {}", amount, units[unit]);
}

} // namespace sooth::cli
