// Checks a block of compiled monitors: it may come from a damaged file.
//
// Cost: linear in the block, but for jumps, whose targets are looked for one by one.
#include "knowledge/compiled.h"

#include <cstring>

namespace sooth::knowledge {
namespace {

constexpr const char* kDamaged = "the compiled monitors are damaged";
constexpr std::uint32_t kMostRegisters = 1u << 16;

class Check {
public:
  Check(const void* block, std::size_t bytes, Compiled& out)
      : base_(static_cast<const char*>(block)), bytes_(bytes), out_(out) {}

  const char* run() {
    if (bytes_ < sizeof(Header) || reinterpret_cast<std::uintptr_t>(base_) % 8 != 0) return kDamaged;
    const auto* header = reinterpret_cast<const Header*>(base_);
    if (std::memcmp(header->magic, kMagic, sizeof kMagic) != 0) return "this is no block of compiled monitors";
    if (header->version != kCompiledVersion) return "the monitors were compiled by another version of Sooth";
    if (header->bytes != bytes_ || header->registers > kMostRegisters || header->valued > header->variables.count)
      return kDamaged;
    out_.header = header;
    const bool tables = table(header->variables, out_.variables) && table(header->locals, out_.locals) &&
                        table(header->blocks, out_.blocks) && table(header->roles, out_.roles) &&
                        table(header->classes, out_.classes) && table(header->code, out_.code) &&
                        table(header->nodes, out_.nodes) && table(header->sections, out_.sections) &&
                        table(header->monitors, out_.monitors) && table(header->parts, out_.parts) &&
                        table(header->text, out_.text);
    return tables && names() && classes() && sections() && monitors() ? nullptr : kDamaged;
  }

private:
  template <typename Row>
  bool table(const Table& where, const Row*& rows) {
    if (where.offset % 8 != 0 || where.offset > bytes_ || where.count > (bytes_ - where.offset) / sizeof(Row))
      return false;
    rows = reinterpret_cast<const Row*>(base_ + where.offset);
    return true;
  }

  bool is_text(std::uint32_t at) const { return at < out_.header->text.count; }

  bool names() const {
    const Header& h = *out_.header;
    if (h.text.count == 0 || out_.text[0] != 0 || out_.text[h.text.count - 1] != 0) return false;
    for (std::uint32_t i = 0; i < h.variables.count; ++i) {
      const VariableRow& row = out_.variables[i];
      if (!is_text(row.name) || !is_text(row.watch_name) || row.size == 0 || row.size > 8 || !is_layout(row.layout))
        return false;
    }
    for (std::uint32_t i = 0; i < h.locals.count; ++i)
      if (!is_text(out_.locals[i])) return false;
    for (std::uint32_t i = 0; i < h.blocks.count; ++i)
      if (!is_text(out_.blocks[i])) return false;
    for (std::uint32_t i = 0; i < h.roles.count; ++i)
      if (!is_text(out_.roles[i].name) || out_.roles[i].kind > RoleKind::Number) return false;
    return true;
  }

  static bool is_layout(const ScalarLayout& l) {
    return l.kind <= ScalarKind::Pointer && (l.bytes == 1 || l.bytes == 2 || l.bytes == 4 || l.bytes == 8) &&
           l.bit_offset < 64 && l.bit_width <= 64;
  }

  bool classes() const {
    const Header& h = *out_.header;
    if (h.roles.count > kMaxRoles || h.classes.count != h.roles.count + 1) return false;
    for (std::uint32_t i = 0; i < h.classes.count; ++i)
      if (out_.classes[i].values > kMaxValues || out_.classes[i].about > kMaxAbout) return false;
    return true;
  }
  bool is_class(std::uint32_t number) const { return number == kAllThreads || number < out_.header->roles.count; }
  bool is_register(std::uint32_t number) const { return number < out_.header->registers; }

  bool sections() const {
    const Header& h = *out_.header;
    for (std::uint32_t i = 0; i < h.sections.count; ++i) {
      const SectionRow& section = out_.sections[i];
      if (!is_class(section.of_class) || section.first_node > h.nodes.count ||
          section.nodes > h.nodes.count - section.first_node || section.loop > Loop::Store)
        return false;
      const bool quantifier = section.loop == Loop::Exists || section.loop == Loop::Forall;
      if (quantifier && (!is_register(section.of) || !is_register(section.to))) return false;
      for (std::uint32_t k = 0; k < section.nodes; ++k)
        if (!node(section, out_.nodes[section.first_node + k])) return false;
    }
    return true;
  }

  bool node(const SectionRow& section, const NodeRow& row) const {
    const bool loops = section.loop != Loop::None;
    const ClassRow& stored = out_.class_of(section.of_class);
    switch (row.kind) {
    case NodeKind::Compute: return is_register(row.to) && code(row.a, row.b, loops);
    case NodeKind::Temporal:
      return section.temporal != 0 && row.op <= TemporalOp::IntervalWeak && row.bit < kMaxTemporalBits &&
             is_register(row.to) && is_register(row.a) && is_register(row.b);
    case NodeKind::Store: return is_register(row.a) && row.to < (loops ? stored.about : stored.values);
    case NodeKind::Judge: return !loops && is_register(row.a) && row.to < out_.header->monitors.count;
    }
    return false;
  }

  // Never more on the stack than there is room for, never less than an operation takes.
  bool code(std::uint32_t first, std::uint32_t count, bool in_loop) const {
    const Table& all = out_.header->code;
    if (count == 0 || first > all.count || count > all.count - first) return false;
    const Instruction* code = out_.code + first;
    std::size_t depth = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Instruction& in = code[i];
      if (in.op > kLastOp || in.kind > ScalarKind::Pointer || in.from > ScalarKind::Pointer || in.bytes == 0 ||
          in.bytes > 8)
        return false;
      if (in.op <= kLastLeaf && !leaf(in, in_loop)) return false;
      if (!step(in, depth)) return false;
      if (in.op == Op::Condition && in.height != depth) return false;
      if (in.op == Op::JumpIfFalse || in.op == Op::JumpIfTrue || in.op == Op::Condition) {
        // Only forwards, and to a place where the stack is as high as now with the tested value, or
        // with the condition.
        if (in.operand <= i || in.operand > count) return false;
        std::size_t at_target = depth;
        for (std::uint32_t k = i + 1; k < in.operand; ++k)
          if (code[k].op > kLastOp || !step(code[k], at_target)) return false;
        if (at_target != depth + 1) return false;
      }
    }
    return depth == 1;
  }

  static bool step(const Instruction& in, std::size_t& depth) {
    if (in.op <= kLastLeaf) return ++depth <= kMaxStack;
    if (in.op == Op::Condition) return true;
    if (depth == 0) return false;
    switch (in.op) {
    case Op::Negate:
    case Op::Complement:
    case Op::Not:
    case Op::Convert: return true;
    case Op::JumpIfFalse:
    case Op::JumpIfTrue: --depth; return true;
    default: return --depth != 0;
    }
  }

  bool leaf(const Instruction& in, bool in_loop) const {
    const std::uint64_t high = in.operand >> 32, low = in.operand & 0xffffffff;
    const bool role = high < out_.header->roles.count;
    const ClassRow& every = out_.class_of(kAllThreads);
    switch (in.op) {
    case Op::Constant: return true;
    case Op::Load: return in.operand < out_.header->valued;
    case Op::Local: return in.operand < out_.header->locals.count;
    case Op::Block: return in.operand < out_.header->blocks.count;
    case Op::Accessed: return in.operand >> 8 < out_.header->variables.count;
    case Op::Result: return in.operand < out_.header->registers;
    case Op::RoleValue: return role && low < out_.classes[high].values;
    case Op::RoleOfSelf: return role && low < out_.classes[high].about;
    case Op::RoleOfOther: return in_loop && role && low < out_.classes[high].about;
    case Op::ThreadValue: return in_loop && in.operand < every.values;
    case Op::ThreadOfSelf: return in_loop && in.operand < every.about;
    default: return false;
    }
  }

  bool monitors() const {
    const Header& h = *out_.header;
    if (h.monitors.count > kMaxMonitors) return false;
    for (std::uint32_t i = 0; i < h.monitors.count; ++i) {
      const MonitorRow& row = out_.monitors[i];
      if (!is_text(row.name) || !is_text(row.text) || !is_text(row.expansion) || !is_text(row.file) ||
          !is_text(row.call) || !is_class(row.of_class) || row.action > ActionKind::Call ||
          row.first_part > h.parts.count || row.parts > h.parts.count - row.first_part)
        return false;
    }
    for (std::uint32_t i = 0; i < h.parts.count; ++i) {
      const PartRow& part = out_.parts[i];
      if (!is_text(part.text) || !is_text(part.about) || !is_layout(part.layout) || part.leaf.op > kLastLeaf ||
          part.leaf.op == Op::Result || !leaf(part.leaf, true))
        return false;
    }
    return true;
  }

  const char* base_;
  std::size_t bytes_;
  Compiled& out_;
};

} // namespace

const char* open_compiled(const void* block, std::size_t bytes, Compiled& out) {
  return Check(block, bytes, out).run();
}

} // namespace sooth::knowledge
