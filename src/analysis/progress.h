// How far an analysis is, for whoever watches; by default nobody does.
#pragma once

#include <cstddef>
#include <string>

namespace sooth::analysis {

class Progress {
public:
  virtual ~Progress() = default;
  // What is being done from now on, and how much of it is over: `done` of `all` parts.
  virtual void stage(std::string /*what*/, unsigned /*done*/, unsigned /*all*/) {}
  // How much of the present part is over.
  virtual void within(std::size_t /*done*/, std::size_t /*all*/) {}
};

} // namespace sooth::analysis
