// The progress of an analysis, for display; by default nothing is displayed.
#pragma once

#include <cstddef>
#include <string>

namespace sooth::analysis {

class Progress {
public:
  virtual ~Progress() = default;
  // The present stage, and how much is over: `done` of `all` parts.
  virtual void stage(std::string /*what*/, unsigned /*done*/, unsigned /*all*/) {}
  // How much of the present part is over.
  virtual void within(std::size_t /*done*/, std::size_t /*all*/) {}
};

} // namespace sooth::analysis
