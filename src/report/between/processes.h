// The processes that a report is about, and those that it leaves out.
//
//     process 10 forks 11 and 12; there are traces of 10 and 11     12 is left out
//     process 11 ends with exec; there is no second trace of 11     it went on as a program that
//                                                                   was not built with Sooth
//
// A report about a process says nothing about its children. So it names them: those whose traces
// are in it, too, and those that it leaves out. It is not complete then.
#pragma once

#include "report/report.h"

namespace sooth::report {

bool is_of_child(const Report& report, const FindingText& finding);

// Adds to the coverage what the traces say about children. Once for each report, when it has all of
// its traces.
void tell_processes(Report& report);

} // namespace sooth::report
