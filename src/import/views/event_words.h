// An event in a few words, for views.
#pragma once

#include <string>

#include "trace/address_names.h"
#include "trace/trace.h"

namespace sooth::import {

// "main" or "worker-3": unique, and without blanks.
std::string host_name(const trace::Trace& trace, std::uint32_t thread);
// The name of the touched variable or object; `names` has followed the event.
std::string target_name(const trace::Trace& trace, const trace::Event& event, const trace::AddressNames& names);
// "bank.cpp:12", empty if unknown
std::string place_of(const trace::Trace& trace, const trace::Event& event);

} // namespace sooth::import
