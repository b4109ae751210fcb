// sooth-cc and sooth-c++.
#include "capture/driver/driver.h"

int main(int argc, char** argv) { return sooth::driver::run_compiler(SOOTH_DRIVER_CXX != 0, argc, argv); }
