// A made-up program for tests of property files.
#pragma once

#include <string>

#include "logic/names/symbols.h"

namespace sooth::logic {

class TestProgram {
public:
  TestProgram() { symbols.types.emplace_back(); }

  std::uint32_t scalar(trace::TypeKind kind, std::uint64_t bytes, const std::string& name) {
    return type({kind, bytes, name});
  }
  std::uint32_t type(trace::Type type) {
    symbols.types.push_back(std::move(type));
    return static_cast<std::uint32_t>(symbols.types.size() - 1);
  }
  // The address that it was given.
  std::uint64_t variable(const std::string& name, std::uint32_t type) {
    const std::uint64_t bytes = symbols.types[type].bytes;
    const std::uint64_t address = next_;
    symbols.variables.push_back({name, address, bytes, type});
    next_ += (bytes + 15) / 8 * 8;
    return address;
  }
  void ints(std::initializer_list<const char*> names) {
    const std::uint32_t type = scalar(trace::TypeKind::Signed, 4, "int");
    for (const char* name : names) variable(name, type);
  }

  Symbols symbols;

private:
  std::uint64_t next_ = 0x1000;
};

} // namespace sooth::logic
