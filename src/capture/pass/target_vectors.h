// The question: what do the processor's own vector instructions read and write?
// Where a program names them (_mm256_maskload_epi32, _mm256_i32gather_epi32, _mm256_mask_compressstoreu_epi32, ...), LLVM keeps calls of
// which it says no more than that they access memory: nothing of it would be recorded.
// Source: their meaning, from the vendor's manuals, as LLVM's general masked accesses.
// Where we differ from LLVM, which replaces some of them where the mask is known: all of these are replaced, before hooks are put in.
// Cost: one walk over the function.
#pragma once

#include "llvm/IR/Function.h"

namespace sooth::pass {

// Whether there were any.
bool replace_target_vectors(llvm::Function& function);

} // namespace sooth::pass
