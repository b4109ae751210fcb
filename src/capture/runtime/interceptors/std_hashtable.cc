// Members of the unordered containers that live in libstdc++.so. That library is not instrumented,
// but these members write to objects of the program. Without these interceptors, every growing
// container would show as an external write.
#include "capture/runtime/interceptors/real.h"

using namespace sooth::runtime;

namespace {

// std::__detail::_Prime_rehash_policy: when to take how many buckets.
struct Policy {
  float load;              // elements for each bucket
  std::size_t next_resize; // with so many elements there will be more buckets
};
struct MoreBuckets { // returned like std::pair<bool, std::size_t>: in two registers
  bool wanted;
  std::size_t buckets;
};

} // namespace

// _M_next_bkt(least) const: the next number of buckets, and with it the next limit.
INTERCEPT(std::size_t, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm, (Policy * policy, std::size_t least)) {
  const std::size_t buckets = REAL(_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm)(policy, least);
  if (Thread* t = enter(); t != nullptr && least != 0) write_range(t, &policy->next_resize, sizeof policy->next_resize);
  return buckets;
}

// _M_need_rehash(buckets, elements, more) const: checks the limit, and changes it if it would be
// passed.
INTERCEPT(MoreBuckets, _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm,
          (Policy * policy, std::size_t buckets, std::size_t elements, std::size_t more)) {
  const std::size_t limit = policy->next_resize;
  if (Thread* t = enter()) read_range(t, &policy->next_resize, sizeof policy->next_resize);
  const MoreBuckets answer =
      REAL(_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm)(policy, buckets, elements, more);
  if (Thread* t = enter(); t != nullptr && elements + more > limit)
    write_range(t, &policy->next_resize, sizeof policy->next_resize);
  return answer;
}
