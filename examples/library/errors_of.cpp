// errors_of TRACE [KINDS]: one line for each place of each finding.
#include <cstdio>

#include <sooth/analysis.h>

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: errors_of TRACE [KINDS]\n", stderr), 2;
  sooth::Request request;
  if (argc > 2) request.find = argv[2];
  const sooth::Answer answer = sooth::analyse(argv[1], request);
  if (!answer.error.empty()) return std::fprintf(stderr, "errors_of: %s\n", answer.error.c_str()), 2;
  for (const sooth::FoundError& found : answer.findings)
    for (const sooth::FoundPlace& place : found.places)
      std::printf("%s %s: %s of %s at line %u\n", found.status.c_str(), found.kind.c_str(), place.what.c_str(),
                  place.variable.c_str(), place.line);
  std::printf("%s\n", answer.complete ? "complete" : "not complete");
}
