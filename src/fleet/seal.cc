#include "fleet/seal.h"

#include <array>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "observe/address.h"

namespace sooth::fleet {

std::string seal(const std::string& token, const std::string& subject, std::span<const std::uint8_t> payload) {
  if (token.empty()) return {};
  std::vector<std::uint8_t> text(subject.begin(), subject.end());
  text.push_back(0); // no subject has a zero, so that one cannot be lengthened by the payload's beginning
  text.insert(text.end(), payload.begin(), payload.end());
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest = {};
  unsigned size = 0;
  HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()), text.data(), text.size(), digest.data(), &size);
  std::string out;
  for (unsigned i = 0; i < size; ++i) out += fmt::format("{:02x}", digest[i]);
  return out;
}

bool is_sealed(const std::string& token, const std::string& subject, std::span<const std::uint8_t> payload,
               const std::string& given) {
  if (token.empty()) return true;
  const std::string wanted = seal(token, subject, payload);
  return !wanted.empty() && observe::same_token(wanted, given);
}

} // namespace sooth::fleet
