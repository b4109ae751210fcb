// A thread's knowledge, part by part: for the report of a violation, and for programs that ask.
#include <cstring>

#include "knowledge/evaluate.h"

namespace sooth::knowledge {
namespace {

bool about_each_thread(Op op) { return op == Op::ThreadValue || op == Op::ThreadOfSelf || op == Op::RoleOfOther; }

Known look(const Setup& setup, const Thread& thread, const PartRow& part, std::uint32_t row) {
  Known known;
  known.part = &part;
  known.value = look_up(setup, thread, part.leaf, row);
  const Word* entry = nullptr;
  if (part.leaf.op == Op::Load)
    known.sequence = thread.vector[Layout::variable_at(static_cast<std::uint32_t>(part.leaf.operand))];
  else if (part.leaf.op >= Op::RoleValue && part.leaf.op <= Op::RoleOfOther)
    entry = thread.vector + setup.layout.role[part.leaf.operand >> 32].at;
  else if (row != 0) entry = thread.vector + setup.layout.row_at(row);
  if (entry != nullptr && entry[kOwner] != 0) {
    known.thread = static_cast<std::uint32_t>(entry[kOwner] - 1);
    known.sequence = entry[kSequence] & ~kGone;
  }
  return known;
}

} // namespace

void explain(const Setup& setup, const Thread& thread, std::uint32_t monitor, void (*tell)(void*, const Known&),
             void* context) {
  const MonitorRow& row = setup.compiled.monitors[monitor];
  for (std::uint32_t p = row.first_part; p < row.first_part + row.parts; ++p) {
    const PartRow& part = setup.compiled.parts[p];
    if (!about_each_thread(part.leaf.op)) {
      tell(context, look(setup, thread, part, 0));
      continue;
    }
    for (Word r = 1; r < thread.vector[0]; ++r) {
      const Word* entry = thread.vector + setup.layout.row_at(static_cast<std::uint32_t>(r));
      // A thread that was joined in this very event was ranged over, but is marked already.
      const bool gone = (entry[kSequence] & kGone) != 0 && entry[kOwner] != thread.joined;
      if (entry[kOwner] != 0 && entry[kOwner] != thread.identity && !gone)
        tell(context, look(setup, thread, part, static_cast<std::uint32_t>(r)));
    }
  }
}

bool query(const Setup& setup, const Thread& thread, const char* text, std::uint32_t about, Known& out) {
  for (std::uint32_t p = 0; p < setup.compiled.part_count(); ++p) {
    const PartRow& part = setup.compiled.parts[p];
    if (std::strcmp(setup.compiled.string(part.text), text) != 0) continue;
    if (!about_each_thread(part.leaf.op)) {
      out = look(setup, thread, part, 0);
      return true;
    }
    for (Word r = 1; r < thread.vector[0]; ++r) {
      if (thread.vector[setup.layout.row_at(static_cast<std::uint32_t>(r)) + kOwner] != Word{about} + 1) continue;
      out = look(setup, thread, part, static_cast<std::uint32_t>(r));
      return true;
    }
  }
  return false;
}

} // namespace sooth::knowledge
