// The function in which a thread starts: `at writer` may name the function that was given to
// pthread_create or std::thread.
#include "capture/runtime/modules.h"
#include "capture/runtime/monitoring/state.h"
#include "knowledge/function_names.h"

namespace sooth::runtime::monitoring {
namespace {

// Text of bounded length. Longer text is cut off, and equals nothing in a property file.
class Name {
public:
  void add(std::string_view part) {
    for (const char c : part)
      if (used_ + 1 < sizeof text_) text_[used_++] = c;
    text_[used_] = 0;
  }
  const char* text() const { return text_; }
  std::string_view view() const { return {text_, used_}; }

private:
  char text_[512] = {};
  std::size_t used_ = 0;
};

Name without_unnamed_namespaces(std::string_view demangled) {
  Name name;
  for (;;) {
    const std::size_t at = demangled.find(knowledge::kUnnamedNamespace);
    name.add(knowledge::piece(demangled, 0, at < demangled.size() ? at : demangled.size()));
    if (at == std::string_view::npos) return name;
    demangled.remove_prefix(at + knowledge::kUnnamedNamespace.size());
  }
}

} // namespace

void starts_in(ThreadState& self, std::uint32_t function_site) {
  const SiteText site = text_of_site(function_site);
  if ((site.flags & trace::kSiteSystem) != 0) return; // std::thread's own frames before the given function
  const Name demangled = without_unnamed_namespaces(site.function);
  Name plain, bare;
  plain.add(knowledge::plain_part(demangled.view()));
  knowledge::without_template_arguments(plain.view(), [&](std::string_view part) { bare.add(part); });
  self.has_function = true;
  __sooth_thread.abi.branches = 0; // functions need not report any more
  knowledge::take_function(g_setup, *self.core, plain.text());
  knowledge::take_function(g_setup, *self.core, bare.text());
  note_roles(self);
}

void take_start_function(Thread* t, ThreadState& self) {
  for (const std::uint64_t* frame = t->stack; frame < __sooth_thread.abi.stack_top && !self.has_function; ++frame)
    starts_in(self, static_cast<std::uint32_t>(*frame));
}

} // namespace sooth::runtime::monitoring
