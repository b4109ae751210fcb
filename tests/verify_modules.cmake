# ctest reads this before it runs the tests: LLVM's verifier looks at every module that the pass makes in them.
set(ENV{SOOTH_VERIFY_MODULES} 1)
