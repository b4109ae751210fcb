// The recorded run and the predicted one side by side: a column for each thread, a row for each
// step, time going down.
//
//     observed order                   | predicted order
//     thread 1        thread 2         | thread 1        thread 2
//     9  writes x                      |                 14 locks m
//     10 locks m                       | 9  writes x     15 writes x
//                                      | ^ at the same time
//
// Where both do not fit beside each other, one is below the other.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "report/report.h"

namespace sooth::report {

struct OrdersOptions {
  std::size_t columns = 100; // of the terminal
  bool color = false;
};

// Lines of the source, by file and number.
using SourcePlaces = std::set<std::pair<std::string, std::uint32_t>>;

struct OrdersText {
  std::string table;   // with a line end after each line; empty if there is nothing to show
  SourcePlaces places; // of its steps
};
OrdersText two_orders(const Report& report, const FindingText& finding, const OrdersOptions& options);

} // namespace sooth::report
