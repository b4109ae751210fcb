#include "capture/runtime/modules.h"

#include <link.h>

#include "capture/abi.h"
#include "capture/plain_note.h"
#include "capture/runtime/observing/observing.h"
#include "capture/runtime/os.h"
#include "capture/runtime/recording/cells.h"
#include "capture/runtime/recording/file.h"
#include "capture/runtime/recording/library_memory.h"
#include "capture/runtime/recording/ownership.h"

namespace sooth::runtime {
namespace {

// A registered module as the body of its chunk: the module itself may be unloaded later.
struct Body {
  Body* next;
  std::size_t bytes;

  std::uint8_t* data() { return reinterpret_cast<std::uint8_t*>(this + 1); }
};
struct Name {
  Name* next;
  std::uint32_t number;
  std::uint32_t length;

  char* text() { return reinterpret_cast<char*>(this + 1); }
  const char* text() const { return reinterpret_cast<const char*>(this + 1); }
};

os::SpinLock g_lock;
Body* g_bodies;                 // as they were registered
Body** g_last_body = &g_bodies; // where the next one goes
std::uint32_t g_body_count;
Name* g_names;
std::uint32_t g_name_count;
std::uint32_t g_next_site = trace::kFirstSite;
constexpr std::size_t kMaxObjects = 256;
std::uint64_t g_objects[kMaxObjects]; // load addresses of objects with instrumented modules
std::size_t g_object_count;

void write_body(Body& body) { write_chunk(trace::ChunkType::Module, body.data(), body.bytes, body.bytes, 0, 0, 0); }

// The present contents of the module's globals: at registration, before the program has run; in the
// child of a fork, the contents that it begins with. Most are zero, and are not written.
void write_initial(Body& body) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  trace::ModuleHeader header;
  os::copy(&header, body.data(), sizeof header);
  const std::uint8_t* rows = body.data() + sizeof header + header.sites * sizeof(trace::SiteRow);
  auto* out = static_cast<std::uint8_t*>(os::pages(kMost));
  if (out == nullptr) return;
  std::uint64_t count = 0;
  std::size_t used = sizeof count;
  const auto flush = [&] {
    os::copy(out, &count, sizeof count);
    write_chunk(trace::ChunkType::Initial, out, used, used, 0, 0, 0);
    count = 0;
    used = sizeof count;
  };
  for (std::uint32_t i = 0; i < header.globals; ++i) {
    trace::GlobalRow global;
    os::copy(&global, rows + i * sizeof global, sizeof global);
    const std::uint64_t bytes = global.bytes < trace::kMaxInitial ? global.bytes : trace::kMaxInitial;
    const auto* contents = reinterpret_cast<const std::uint8_t*>(global.address);
    bool zero = true;
    for (std::uint64_t k = 0; contents != nullptr && zero && k < bytes; ++k) zero = contents[k] == 0;
    if (zero) continue;
    const trace::InitialRow row = {global.address, bytes};
    if (used + sizeof row + trace::round_up(bytes, 8) > kMost) flush();
    os::copy(out + used, &row, sizeof row);
    os::copy(out + used + sizeof row, contents, bytes);
    used += sizeof row + trace::round_up(bytes, 8);
    ++count;
  }
  flush(); // even if it is empty: all of them were zero
  os::give_back(out, kMost);
}

void write_name(const Name& name) {
  Quiet quiet; // the compiler copies the row with memcpy
  struct {
    std::uint32_t number, length;
    char text[256];
  } row = {name.number, name.length, {}};
  os::copy(row.text, name.text(), name.length);
  write_chunk(trace::ChunkType::Strings, &row, 8 + name.length, 8 + name.length, 0, 0, 0);
}

bool contains(const dl_phdr_info* info, std::uint64_t address) {
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
      return true;
  return false;
}

// The object that holds `module`. All of its writable data are globals and statics, whose writes
// are kept.
int keep_object(dl_phdr_info* info, std::size_t, void* module) {
  if (!contains(info, reinterpret_cast<std::uint64_t>(module))) return 0;
  for (std::size_t i = 0; i < g_object_count; ++i)
    if (g_objects[i] == info->dlpi_addr) return 1;
  if (g_object_count < kMaxObjects) g_objects[g_object_count++] = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_W) != 0)
      keep_writes(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz);
  return 1;
}

struct Text {
  char bytes[64 * 1024];
  std::size_t used;
  void add(const char* text) {
    const std::size_t n = os::length(text);
    if (used + n > sizeof bytes) return;
    os::copy(bytes + used, text, n);
    used += n;
  }
};

bool is_ours(const char* owner, std::size_t bytes) {
  if (bytes != sizeof capture::kNoteOwner) return false;
  for (std::size_t i = 0; i < bytes; ++i)
    if (owner[i] != capture::kNoteOwner[i]) return false;
  return true;
}

// The names in the note of what was linked in without hooks.
void add_plain_objects(const Elf64_Nhdr& note, const char* desc, Text& out) {
  if (note.n_descsz == 0 || desc[note.n_descsz - 1] != 0) return;
  for (const char* at = desc; at < desc + note.n_descsz; at += os::length(at) + 1) {
    out.add("library=");
    out.add(at);
    out.add("\n");
  }
}

void add_notes(const dl_phdr_info* info, Text& out) {
  const auto whole = [](std::uint64_t bytes) { return (bytes + 3) & ~std::uint64_t{3}; };
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const std::uint64_t align = segment.p_align == 8 ? 7 : 3;
    std::uint64_t at = info->dlpi_addr + segment.p_vaddr;
    const std::uint64_t end = at + segment.p_memsz;
    while (at + sizeof(Elf64_Nhdr) <= end) {
      const auto& note = *reinterpret_cast<const Elf64_Nhdr*>(at);
      const auto* owner = reinterpret_cast<const char*>(at + sizeof note);
      const std::uint64_t desc = at + sizeof note + whole(note.n_namesz);
      const std::uint64_t next = (desc + note.n_descsz + align) & ~align;
      if (next > end || next <= at) break;
      if (note.n_type == capture::kPlainObjects && is_ours(owner, note.n_namesz))
        add_plain_objects(note, reinterpret_cast<const char*>(desc), out);
      at = next;
    }
  }
}

int add_library(dl_phdr_info* info, std::size_t, void* text) {
  add_notes(info, *static_cast<Text*>(text));
  for (std::size_t i = 0; i < g_object_count; ++i)
    if (g_objects[i] == info->dlpi_addr) return 0;
  const auto self = reinterpret_cast<std::uint64_t>(&g_lock);
  if (info->dlpi_name == nullptr || info->dlpi_name[0] == 0 || contains(info, self)) return 0;
  auto& out = *static_cast<Text*>(text);
  out.add("library=");
  out.add(info->dlpi_name);
  out.add("\n");
  return 0;
}

Body* make_body(const SoothModule* m) {
  const std::size_t sites = m->sites * sizeof(SoothSiteRow);
  const std::size_t globals = m->globals * sizeof(SoothGlobalRow);
  const std::size_t bytes = sizeof(trace::ModuleHeader) + sites + globals + m->string_bytes + m->fact_bytes;
  auto* body = static_cast<Body*>(os::pages(sizeof(Body) + bytes));
  if (body == nullptr) return nullptr;
  body->bytes = bytes;
  const trace::ModuleHeader header = {g_next_site,   m->sites, m->globals,        m->string_bytes,
                                      m->fact_bytes, m->name,  m->compiler_flags, 0};
  std::uint8_t* out = body->data();
  const auto add = [&out](const void* from, std::size_t n) {
    os::copy(out, from, n);
    out += n;
  };
  add(&header, sizeof header);
  add(m->site_rows, sites);
  add(m->global_rows, globals);
  add(m->strings, m->string_bytes);
  add(m->facts, m->fact_bytes);
  return body;
}

// Keeps the module's description of itself, and writes it to the file.
void register_module(const SoothModule* module) {
  Quiet quiet;
  os::Guard guard(g_lock);
  if (*module->base != 0) return;
  Body* body = make_body(module);
  if (body == nullptr) return count(Defect::UnknownSites);
  *g_last_body = body; // its own `next` is null: pages are empty
  g_last_body = &body->next;
  __atomic_store_n(&g_body_count, g_body_count + 1, __ATOMIC_RELEASE);
  observing::new_module();
  *module->base = g_next_site;
  g_next_site += module->sites;
  dl_iterate_phdr(keep_object, const_cast<SoothModule*>(module));
  if (module->flags & kSoothModuleHasFacts) record_for_facts();
  write_body(*body);
  write_initial(*body);
}

} // namespace

void rewrite_modules() {
  for (Body* body = g_bodies; body != nullptr; body = body->next) {
    write_body(*body);
    write_initial(*body);
  }
  for (const Name* name = g_names; name != nullptr; name = name->next) write_name(*name);
}

void reset_module_locks() { g_lock.reset(); }

std::uint32_t module_count() { return __atomic_load_n(&g_body_count, __ATOMIC_ACQUIRE); }

void for_each_module(void (*visit)(void* context, std::uint32_t number, const std::uint8_t* bytes, std::size_t size),
                     void* context) {
  const std::uint32_t count = module_count(); // bodies stay; all counted ones are linked
  Body* body = g_bodies;
  for (std::uint32_t number = 0; number < count; ++number, body = body->next)
    visit(context, number, body->data(), body->bytes);
}

SiteText text_of_site(std::uint32_t site) {
  struct Search {
    std::uint32_t site;
    SiteText found = {};
  } search{site};
  const auto look = [](void* context, std::uint32_t, const std::uint8_t* body, std::size_t) {
    auto& [wanted, found] = *static_cast<Search*>(context);
    trace::ModuleHeader header;
    os::copy(&header, body, sizeof header);
    if (wanted - header.first_site >= header.sites) return;
    trace::SiteRow row;
    os::copy(&row, body + sizeof header + (wanted - header.first_site) * sizeof row, sizeof row);
    const auto* strings = reinterpret_cast<const char*>(body + sizeof header + header.sites * sizeof row +
                                                        header.globals * sizeof(trace::GlobalRow));
    if (row.file < header.string_bytes) found.file = strings + row.file;
    if (row.function < header.string_bytes) found.function = strings + row.function;
    found.line = row.line;
    found.column = row.column;
    found.flags = row.flags;
  };
  if (site != 0) for_each_module(look, &search);
  return search.found;
}

const char* name_of(std::uint32_t number) {
  for (const Name* n = __atomic_load_n(&g_names, __ATOMIC_ACQUIRE); n != nullptr; n = n->next)
    if (n->number == number) return n->text(); // its room was zero, and one byte larger
  return "";
}

void write_libraries() {
  Quiet quiet;
  auto* text = static_cast<Text*>(os::pages(sizeof(Text)));
  if (text == nullptr) return;
  dl_iterate_phdr(add_library, text);
  if (text->used != 0) write_chunk(trace::ChunkType::Process, text->bytes, text->used, text->used, 0, 0, 0);
  os::give_back(text, sizeof(Text));
}

std::uint32_t intern(const char* name) {
  std::size_t length = 0;
  while (length < 255 && name[length] != 0) ++length;
  const auto same = [&](const Name& n) {
    if (n.length != length) return false;
    for (std::size_t i = 0; i < length; ++i)
      if (n.text()[i] != name[i]) return false;
    return true;
  };
  // Names are only ever put in front, so the list can be walked without the lock.
  for (const Name* n = __atomic_load_n(&g_names, __ATOMIC_ACQUIRE); n != nullptr; n = n->next)
    if (same(*n)) return n->number;
  os::Guard guard(g_lock);
  for (const Name* n = g_names; n != nullptr; n = n->next)
    if (same(*n)) return n->number;
  static std::uint8_t* room;
  static std::size_t left;
  const std::size_t bytes = trace::round_up(sizeof(Name) + length + 1, 16);
  if (left < bytes) {
    room = static_cast<std::uint8_t*>(os::pages(64 * 1024));
    left = room != nullptr ? 64 * 1024 : 0;
    if (room == nullptr) return 0;
  }
  auto* fresh = reinterpret_cast<Name*>(room);
  room += bytes;
  left -= bytes;
  fresh->next = g_names;
  fresh->number = ++g_name_count; // 0 is the empty name
  fresh->length = static_cast<std::uint32_t>(length);
  os::copy(fresh->text(), name, length);
  write_name(*fresh);
  __atomic_store_n(&g_names, fresh, __ATOMIC_RELEASE);
  return fresh->number;
}

void unsupported(const char* primitive) {
  count(Defect::UnsupportedCalls);
  os::Guard guard(g_lock);
  for (unsigned i = 0; i < 8; ++i) {
    char(&row)[40] = g_header->unsupported[i];
    bool same = true;
    if (row[0] == 0) {
      for (unsigned k = 0; k < 39 && primitive[k] != 0; ++k) row[k] = primitive[k];
    } else {
      for (unsigned k = 0; same && k < 39; ++k) {
        same = row[k] == primitive[k];
        if (primitive[k] == 0) break;
      }
    }
    if (!same) continue;
    ++g_header->unsupported_calls[i];
    return;
  }
}

} // namespace sooth::runtime

extern "C" __attribute__((visibility("default"))) void __sooth_register_module(const SoothModule* module) {
  using namespace sooth::runtime;
  if (module->abi_version != kSoothAbiVersion) {
    own_in_module(false);
    return unsupported("a module of another Sooth version");
  }
  register_module(module);
  own_in_module((module->flags & kSoothModuleHasOwners) != 0);
  if (Thread* t = enter()) mark_library_memory(t); // a plug-in may have brought the C++ library
}
