// Natural numbers of any size, for counting runs: there are more of them than fit anywhere else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace sooth::explore {

class BigNumber {
public:
  BigNumber() = default;
  BigNumber(std::uint64_t value) {
    for (; value != 0; value /= kBase) digits_.push_back(static_cast<std::uint32_t>(value % kBase));
  }

  BigNumber& operator+=(const BigNumber& other) {
    if (digits_.size() < other.digits_.size()) digits_.resize(other.digits_.size(), 0);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < digits_.size() && (carry != 0 || i < other.digits_.size()); ++i) {
      carry += std::uint64_t{digits_[i]} + (i < other.digits_.size() ? other.digits_[i] : 0);
      digits_[i] = static_cast<std::uint32_t>(carry % kBase);
      carry /= kBase;
    }
    if (carry != 0) digits_.push_back(static_cast<std::uint32_t>(carry));
    return *this;
  }
  // The other one must not be larger.
  BigNumber& operator-=(const BigNumber& other) {
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      std::int64_t digit = std::int64_t{digits_[i]} - borrow - (i < other.digits_.size() ? other.digits_[i] : 0);
      borrow = digit < 0 ? 1 : 0;
      if (digit < 0) digit += kBase;
      digits_[i] = static_cast<std::uint32_t>(digit);
    }
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
    return *this;
  }
  bool is_zero() const { return digits_.empty(); }
  friend bool operator==(const BigNumber&, const BigNumber&) = default;

  std::string text() const {
    if (digits_.empty()) return "0";
    std::string out = std::to_string(digits_.back());
    for (std::size_t i = digits_.size() - 1; i-- > 0;) {
      const std::string part = std::to_string(digits_[i]);
      out.append(9 - part.size(), '0').append(part);
    }
    return out;
  }

private:
  static constexpr std::uint32_t kBase = 1'000'000'000; // nine decimal digits in each
  std::vector<std::uint32_t> digits_;                   // lowest first; the highest one is not zero
};

} // namespace sooth::explore
