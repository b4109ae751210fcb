// Seals: proof that a message was written by a holder of the token, for this subject, and has not
// been changed since.
//
// NATS's own permissions say who may publish where. A token (SOOTH_TOKEN) is a second lock behind
// them: it never travels, only HMAC-SHA256 of subject and payload does, as a header.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace sooth::fleet {

inline constexpr const char* kSealHeader = "Sooth-Seal";

// 64 hexadecimal digits; empty without a token.
std::string seal(const std::string& token, const std::string& subject, std::span<const std::uint8_t> payload);
// Without a token, everything is.
bool is_sealed(const std::string& token, const std::string& subject, std::span<const std::uint8_t> payload,
               const std::string& given);

} // namespace sooth::fleet
