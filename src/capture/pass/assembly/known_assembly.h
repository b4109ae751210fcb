// Question: which inline assembly is an atomic operation that the compiler has a word for?
// Source: the text and the constraints, for what headers of x86-64 programs are full of: xchg; lock
//   cmpxchg, xadd, add, sub, and, or, xor, inc, dec, and bts, btr, btc of a constant bit; mov from
//   and to memory. Each as the only instruction, or with a `sete` and the like behind it, with its
//   operands as clang gives them for "+m", "=m", "m", "r", "a", "i", "=@ccz" and tied ones, and for
//   `(%1)` with a register that has the address. `lock; addl $0, (%rsp)` is a fence.
// It becomes that operation before anything is optimised, and is recorded and compiled as such:
// `lock` orders as seq_cst does, a mov as release and acquire do on this processor (if the assembly
// says that it touches memory, else relaxed). All other assembly that touches memory stays as it
// is, and is reported when it runs (assembly.h).
// Cost: a look at each inline assembly.
#pragma once

#include "llvm/IR/Function.h"

namespace sooth::pass {

// Whether something was replaced.
bool replace_known_assembly(llvm::Function& function);

} // namespace sooth::pass
