// Streams that make sense, for fuzz_observe to start from: the landing example, whole and with a checkpoint.
#include <filesystem>
#include <fstream>

#include "unit/observe_landing.h"

using namespace sooth::observe;

namespace {

void write(const std::filesystem::path& file, std::uint8_t first, const std::vector<Message>& messages) {
  std::ofstream out(file, std::ios::binary);
  out.put(static_cast<char>(first));
  for (const Message& message : messages) {
    const auto frame = encode(message);
    out.write(reinterpret_cast<const char*>(frame.data()), static_cast<std::streamsize>(frame.size()));
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  Observation observation;
  if (!observation.begin()) return 1;
  const auto landing = observation.landing();
  write(folder / "landing", 0x3f, landing);
  auto backwards = landing;
  std::ranges::reverse(backwards);
  write(folder / "backwards", 7, backwards);
  const auto bytes = landing_module();
  auto whole = landing;
  whole.insert(whole.begin(), {Message{ModulePart{0, 0, bytes.size(), bytes}}, Message{SymbolsSent{1}},
                               Message{observation.initial()}});
  write(folder / "handshake", 0xbf, whole);
  auto radio = observation.write(2, 0, 3, "radio", 0, {{2, 1}});
  radio.place.epoch = 1;
  write(folder / "checkpoint", 0x20,
        {landing[0], landing[1], landing[5], landing[6],
         CheckpointMessage{
             0, wire::kReorder, 0, 2, {{0, 2, true, true, 1}, {1, 2, true, false, 0}, {2, 0, true, false, 0}}},
         radio, FinishMessage{wire::EndKind::Signal, 9, 6, 0, 0, 0, 0}});
}
