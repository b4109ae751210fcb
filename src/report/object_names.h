// Names of members and captured variables as a person says them.
//
//     source's name      function                              shown
//     this->balance_     Account::deposit(long)                Account::balance_
//     this->fees         main::$_0::operator()() const         fees          (captured by a lambda)
//     this->this->done   Pool::Pool(int)::'lambda'()::...      Pool::done
#pragma once

#include <string>
#include <string_view>

namespace sooth::report {

// Between a member and the place where its object was made.
inline constexpr std::string_view kMadeAt = " of the object made at ";

// `variable` as the site table has it, `function` the demangled function that uses it.
std::string member_name(const std::string& variable, const std::string& function);
// The name of a member by the type of the object that it lies in: `other.mutex`, `pool->mutex` or
// `Queue::pool_->mutex` of a `Pool` are all `Pool::mutex`. `name` itself if it names no member.
std::string member_of_type(const std::string& name, const std::string& type);
// The part behind the last scope: `balance_` of `bank::Account::balance_`; `m (pool.cpp:31)` of
// `Pool::m of the object made at pool.cpp:31`.
std::string short_name(const std::string& name);

// The name can be another one for this member of a class: `n` and `gate.n` for `Gate::n`.
bool is_member_of(const std::string& name, const std::string& member);

} // namespace sooth::report
