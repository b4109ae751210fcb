// stdio reads its files by calls of its own, which nobody can intercept. So the recorded run notes
// which bytes a stream read during a call, and the replay puts a file with these bytes beneath it.
#include "capture/runtime/inputs/inputs.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/runtime/inputs/descriptors.h"
#include "capture/runtime/os.h"

USE_REAL(int, fclose, (std::FILE*));

namespace sooth::runtime {

namespace {

constexpr std::uint64_t kNoPlace = ~std::uint64_t{0};

// -1: it has no places that mean anything, as a pipe, or a device.
long place_in(int file) {
  struct stat info = {};
  if (os::failed(os::call(SYS_fstat, file, reinterpret_cast<long>(&info))) || !S_ISREG(info.st_mode)) return -1;
  const long at = os::call(SYS_lseek, file, 0, SEEK_CUR);
  return os::failed(at) ? -1 : at;
}

std::uint64_t size_of(int file) {
  struct stat info = {};
  return os::failed(os::call(SYS_fstat, file, reinterpret_cast<long>(&info)))
             ? 0
             : static_cast<std::uint64_t>(info.st_size);
}

std::size_t buffered(const std::FILE* stream) {
  return static_cast<std::size_t>(stream->_IO_read_end - stream->_IO_read_ptr);
}

// The program may write to the file, too: it reads what it wrote.
bool is_own_file(int file, bool has_places) {
  return has_places && (os::call(SYS_fcntl, file, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

void note_news(Thread* t, const replay::StreamNews& news, const Part& first, const Part& second) {
  const Part parts[] = {whole(&news), first, second};
  note_input(t, InputCall::Stream, 0, parts, 3);
}

} // namespace

StreamInput::StreamInput(std::FILE* stream, bool reads) {
  if (!has_inputs() || !reads || stream == nullptr || stream->_fileno < 0) return;
  thread_ = enter();
  if (thread_ == nullptr) return;
  stream_ = stream;
  if (g_inputs == Inputs::Fed) {
    feed();
    return;
  }
  offset_ = place_in(stream->_fileno);
  buffered_ = buffered(stream);
  pointer_ = stream->_IO_read_ptr;
  end_ = stream->_IO_read_end;
}

void StreamInput::over(const void* taken, std::size_t bytes) {
  if (thread_ == nullptr || g_inputs != Inputs::Recorded) return;
  const int error = errno;
  const int file = stream_->_fileno;
  const Part nothing = whole(nullptr, 0);
  const std::uint64_t size = size_of(file);
  if (is_own_file(file, offset_ >= 0)) {
    note_news(thread_, {kNoPlace, kNoPlace}, nothing, nothing);
  } else if (offset_ >= 0) {
    const long now = place_in(file);
    const std::size_t room = now > offset_ ? static_cast<std::size_t>(now - offset_) : 0;
    void* copy = room != 0 ? os::pages(room) : nullptr;
    const long got = copy != nullptr
                         ? os::call(SYS_pread64, file, reinterpret_cast<long>(copy), static_cast<long>(room), offset_)
                         : 0;
    note_news(thread_, {static_cast<std::uint64_t>(offset_), size},
              whole(copy, got > 0 ? static_cast<std::size_t>(got) : 0), nothing);
    if (copy != nullptr) os::give_back(copy, room);
  } else if (taken != nullptr) {
    // What it took and what is left now, without what it had before.
    const std::size_t old = buffered_ < bytes ? buffered_ : bytes;
    const std::size_t old_left = buffered_ - old, left = buffered(stream_);
    note_news(thread_, {kNoPlace, size}, whole(static_cast<const char*>(taken) + old, bytes - old),
              whole(stream_->_IO_read_ptr + old_left, left > old_left ? left - old_left : 0));
  } else {
    const bool filled = stream_->_IO_read_ptr < pointer_ || stream_->_IO_read_end != end_ || buffered_ == 0;
    note_news(thread_, {kNoPlace, size},
              whole(stream_->_IO_read_base,
                    filled ? static_cast<std::size_t>(stream_->_IO_read_end - stream_->_IO_read_base) : 0),
              nothing);
  }
  errno = error;
}

void StreamInput::feed() {
  const InputRow* row = next_input(thread_, InputCall::Stream);
  replay::StreamNews news = {};
  if (row == nullptr || row->bytes < sizeof news) return;
  os::copy(&news, row + 1, sizeof news);
  if (news.size == kNoPlace) return;
  const int file = stream_->_fileno;
  const bool has_place = news.offset != kNoPlace;
  if (!g_replaced.has(file)) {
    const long other = os::call(SYS_memfd_create, reinterpret_cast<long>("input"), 0);
    if (os::failed(other)) return;
    if (has_place) os::call(SYS_ftruncate, other, static_cast<long>(news.size));
    if (has_place) os::call(SYS_lseek, other, static_cast<long>(news.offset), SEEK_SET);
    const bool closes = (os::call(SYS_fcntl, file, F_GETFD) & FD_CLOEXEC) != 0;
    os::call(SYS_dup3, other, file, closes ? O_CLOEXEC : 0);
    os::call(SYS_close, other);
    g_replaced.set(file, true);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(row + 1) + sizeof news;
  const std::uint64_t at = has_place ? news.offset : size_of(file);
  os::call(SYS_pwrite64, file, reinterpret_cast<long>(bytes), static_cast<long>(row->bytes - sizeof news),
           static_cast<long>(at));
}

std::FILE* stream_as_recorded(const InputRow& row, std::FILE* real, const char* mode) {
  if (row.result < 0) {
    if (real != nullptr) REAL(fclose)(real);
    errno = row.error;
    return nullptr;
  }
  const Quiet quiet; // fdopen allocates
  const int file = opened_as_recorded(row, real != nullptr ? static_cast<int>(os::call(SYS_dup, real->_fileno)) : -1);
  if (real == nullptr) return file >= 0 ? fdopen(file, mode) : nullptr;
  // It may be another file than `real` has, with the recorded size.
  os::call(SYS_dup3, file, real->_fileno,
           (os::call(SYS_fcntl, real->_fileno, F_GETFD) & FD_CLOEXEC) != 0 ? O_CLOEXEC : 0);
  if (file != real->_fileno) os::call(SYS_close, file);
  g_replaced.set(real->_fileno, false);
  return real;
}

} // namespace sooth::runtime
