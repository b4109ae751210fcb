// Any bytes as a program's file: no tables, an error, or tables that hold together.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "trace/program/program.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = sooth::trace::read_program_bytes(std::span(data, size), "it");
  if (!read) {
    require(!read.error().message.empty());
    return 0;
  }
  const sooth::trace::Trace& tables = read.value().program.tables;
  require(read.value().program.instrumented || tables.globals.empty());
  require(!tables.sites.empty() && !tables.types.empty());
  for (const auto& global : tables.globals) require(global.type_id < tables.types.size());
  for (const auto& type : tables.types) {
    require(type.element < tables.types.size());
    for (const auto& member : type.members) require(member.type < tables.types.size());
  }
  return 0;
}
