// Records and verdicts that make sense, for fuzz_fleet to start from.
#include <filesystem>
#include <fstream>

#include "fleet/verdict.h"
#include "unit/fleet_landing.h"

using namespace sooth::fleet;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const auto save = [&](const std::string& name, char first, const Bytes& bytes) {
    std::ofstream out(folder / name, std::ios::binary);
    out.put(first);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  Bytes program;
  for (const Record& record : landing_records()) {
    const Bytes bytes = encode_record(record);
    program.push_back(static_cast<std::uint8_t>(bytes.size()));
    program.push_back(static_cast<std::uint8_t>(bytes.size() >> 8));
    program.insert(program.end(), bytes.begin(), bytes.end());
  }
  save("program", 'p', program);
  save("announcement", 'r', encode_record(landing_announcement()));
  save("end", 'r', encode_record(EndRecord{landing_id(), 12}));
  save("alive", 'r', encode_record(AliveRecord{"relay", {landing_id(), ProgramId{}}}));
  Verdict verdict;
  verdict.program = "landing";
  verdict.findings = {{"predicted", "safe_landing"}};
  verdict.lacks = {{"cutOff", 1, "an end"}};
  verdict.report = "{}";
  const std::string text = encode_verdict(verdict);
  save("verdict", 'v', Bytes(text.begin(), text.end()));
}
