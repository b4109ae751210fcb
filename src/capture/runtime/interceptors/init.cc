// The interceptors' work at start.
#include <cstdlib>

#include "capture/runtime/interceptors/process.h"
#include "capture/runtime/interceptors/real.h"
#include "capture/runtime/interceptors/signals.h"
#include "capture/runtime/interceptors/threads.h"

namespace sooth::runtime {

void install_interceptors() {
  resolve_all();
  make_thread_end_key();
  arm_thread_end();                 // pthread_exit from main ends the main thread like any other
  at_quick_exit(finish_quick_exit); // registered first, so it runs last
  install_crash_handlers();
}

} // namespace sooth::runtime
