// The processor's own vector instructions.
//
// If a program names them (_mm256_maskload_epi32, _mm256_i32gather_epi32,
// _mm256_mask_compressstoreu_epi32, ...), LLVM keeps calls of which it knows no more than that they
// access memory: nothing of it would be recorded.
//
// Question: what do these instructions read and write?
// Source: their meaning, from the vendor's manuals, as LLVM's general masked accesses.
// Where we differ: LLVM replaces some of them if the mask is known. Here all of these are replaced,
//   before hooks are put in.
// Cost: one walk over the function.
#pragma once

#include "llvm/IR/Function.h"

namespace sooth::pass {

// Whether there were any.
bool replace_target_vectors(llvm::Function& function);

} // namespace sooth::pass
