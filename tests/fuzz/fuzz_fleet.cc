// What comes through NATS, as any bytes: records, verdicts, and the records of one program one
// after the other.
//
// The first byte says which. A program's records are cut at their lengths (2 bytes, little-endian).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "fleet/overview.h"
#include "unit/fleet_landing.h"

using namespace sooth::fleet;

namespace {

void check_record(std::span<const std::uint8_t> bytes) {
  const auto record = decode_record(bytes);
  if (!record) return;
  const Bytes encoded = encode_record(record.value());
  const auto again = decode_record(encoded);
  if (!encoded.empty() && (!again || !(again.value() == record.value()))) std::abort();
}

void check_verdict(std::string_view text) {
  const auto verdict = decode_verdict(text);
  if (!verdict) return;
  const auto again = decode_verdict(encode_verdict(verdict.value()));
  if (!again || again.value().id != verdict.value().id || again.value().final != verdict.value().final) std::abort();
  table_text({{verdict.value().id, verdict.value()}}, 80);
  table_json({{verdict.value().id, verdict.value()}});
}

void check_program(std::span<const std::uint8_t> bytes) {
  Followed followed;
  while (bytes.size() >= 2) {
    const std::size_t length = std::min<std::size_t>(bytes[0] + 256u * bytes[1], bytes.size() - 2);
    const auto record = decode_record(bytes.subspan(2, length));
    if (record) followed.program.take(record.value());
    followed.program.advance(16);
    bytes = bytes.subspan(2 + length);
  }
  followed.end();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::span rest(data + 1, size - 1);
  if (data[0] == 'r') check_record(rest);
  else if (data[0] == 'v') check_verdict({reinterpret_cast<const char*>(rest.data()), rest.size()});
  else check_program(rest);
  return 0;
}
