#include "trace/reader.h"

#include <cerrno>
#include <cstring>
#include <limits>

#include "trace/file/chunk_scan.h"
#include "trace/pieces.h"

namespace sooth::trace {
namespace {

Error system_error(const std::string& path, const std::string& what) {
  return {what + ": " + std::strerror(errno), path};
}

Result<FileHeader> check_header(std::span<const std::uint8_t> file) {
  FileHeader header;
  if (file.size() < sizeof header.magic)
    return Error{"this is not a Sooth trace: it has only " + std::to_string(file.size()) + " bytes"};
  std::memcpy(&header.magic, file.data(), sizeof header.magic);
  if (header.magic != kFileMagic) return Error{"this is not a Sooth trace: it does not begin as one"};
  if (file.size() < sizeof header)
    return Error{"this Sooth trace ends inside its first page, at offset " + hexadecimal(file.size())};
  std::memcpy(&header, file.data(), sizeof header);
  if (header.version != kFormatVersion) {
    return Error{"this Sooth trace has format version " + std::to_string(header.version) +
                 "; this program reads version " + std::to_string(kFormatVersion)};
  }
  return header;
}

Trace all_of(Pieces& pieces) {
  Trace out;
  pieces.next(std::numeric_limits<std::size_t>::max(), 0, out);
  return out;
}

} // namespace

Result<std::unique_ptr<Pieces>> open_trace(const std::string& path, const ReadOptions& options) {
  auto file = std::make_unique<BytesOfFile>(path);
  if (!file->is_open()) return system_error(path, "cannot open");
  bool regular = false;
  if (!file->measure(regular)) return system_error(path, "cannot look at");
  if (!regular) return Error{"this is not a file", path};
  const std::span<const std::uint8_t> first = file->at(0, sizeof(FileHeader));
  if (first.empty() && file->size() != 0) return system_error(path, "cannot read");
  Result<FileHeader> header = check_header(first);
  if (!header) return Error{header.error().message, path};
  ScanResult scan = scan_chunks(*file);
  return std::make_unique<Pieces>(*header, std::move(scan), std::move(file), options);
}

Result<Trace> read_trace(const std::string& path, const ReadOptions& options) {
  auto pieces = open_trace(path, options);
  if (!pieces) return pieces.error();
  return all_of(**pieces);
}

Result<Trace> read_trace_bytes(std::span<const std::uint8_t> file, const ReadOptions& options) {
  Result<FileHeader> header = check_header(file);
  if (!header) return header.error();
  Pieces pieces(*header, scan_chunks(file), std::make_unique<BytesInMemory>(file), options);
  return all_of(pieces);
}

} // namespace sooth::trace
