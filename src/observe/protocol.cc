#include "observe/protocol.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

namespace sooth::observe {
namespace {

using wire::Type;

// Each message names its fields once, in `fields`; Writer and Reader are the two ways to go over
// them.
class Writer {
public:
  explicit Writer(std::vector<std::uint8_t>& out) : out_(out) {}

  template <typename T>
  void number(const T& field, std::uint64_t = 0) {
    std::uint8_t bytes[wire::kMaxNumber];
    wire::Out out{bytes, bytes + sizeof bytes};
    out.number(static_cast<std::uint64_t>(field));
    out_.insert(out_.end(), bytes, out.at);
  }
  void text(const std::string& field) {
    const std::size_t n = std::min(field.size(), wire::kMaxText);
    number(n);
    out_.insert(out_.end(), field.begin(), field.begin() + static_cast<std::ptrdiff_t>(n));
  }
  void raw(const Session& field) { out_.insert(out_.end(), field.begin(), field.end()); }
  void rest(const std::vector<std::uint8_t>& field) { out_.insert(out_.end(), field.begin(), field.end()); }
  template <typename Row, typename Each>
  void rows(const std::vector<Row>& rows, std::size_t, Each each) {
    number(rows.size());
    for (const Row& row : rows) each(row);
  }
  void require(bool) {}

private:
  std::vector<std::uint8_t>& out_;
};

class Reader {
public:
  explicit Reader(wire::In& in) : in_(in) {}

  template <typename T>
  void number(T& field, std::uint64_t most = limit<T>()) {
    field = static_cast<T>(in_.number(most));
  }
  void text(std::string& field) {
    const auto n = static_cast<std::size_t>(in_.number(wire::kMaxText));
    if (const std::uint8_t* bytes = in_.bytes(n)) field.assign(reinterpret_cast<const char*>(bytes), n);
  }
  void raw(Session& field) {
    if (const std::uint8_t* bytes = in_.bytes(field.size())) std::copy_n(bytes, field.size(), field.begin());
  }
  void rest(std::vector<std::uint8_t>& field) {
    const std::size_t n = in_.left();
    if (const std::uint8_t* bytes = in_.bytes(n)) field.assign(bytes, bytes + n);
  }
  template <typename Row, typename Each>
  void rows(std::vector<Row>& rows, std::size_t smallest, Each each) {
    rows.resize(in_.count(smallest)); // bounded by the bytes of the frame
    for (Row& row : rows) {
      if (!in_.ok) break;
      each(row);
    }
  }
  void require(bool what) {
    if (!what) in_.ok = false;
  }

private:
  template <typename T>
  static constexpr std::uint64_t limit() {
    if constexpr (std::is_same_v<T, bool>) return 1;
    else if constexpr (std::is_enum_v<T>) return 255;
    else if constexpr (std::is_signed_v<T>) return ~std::uint64_t{0};
    else return std::numeric_limits<T>::max();
  }
  wire::In& in_;
};

// Threads, modules and variables are numbered densely; more of them than this are not believed.
constexpr std::uint64_t kMostThreads = (1u << 20) - 1;
constexpr std::uint64_t kMostModules = 1u << 20;
constexpr std::uint64_t kMostModuleBytes = std::uint64_t{1} << 28;
constexpr std::uint64_t kMostVariables = 1u << 16;
constexpr std::size_t kMostPredicates = 64; // bits of `happened`

template <typename Way, typename M>
void hello(Way& way, M& m) {
  std::uint64_t magic = wire::kMagic;
  way.number(magic);
  way.require(magic == wire::kMagic);
  way.number(m.version);
  way.number(m.role, 1);
  way.raw(m.session);
  way.text(m.token);
  way.text(m.program);
  way.number(m.pid);
}
template <typename Way, typename M>
void module_part(Way& way, M& m) {
  way.number(m.module, kMostModules);
  way.number(m.offset, kMostModuleBytes);
  way.number(m.whole, kMostModuleBytes);
  way.rest(m.bytes);
  way.require(m.offset + m.bytes.size() <= m.whole && !m.bytes.empty());
}
template <typename Way, typename P>
void place(Way& way, P& p) {
  way.number(p.epoch);
  way.number(p.thread, kMostThreads);
  way.number(p.sequence);
}
template <typename Way, typename M>
void event(Way& way, M& m) {
  place(way, m.place);
  way.number(m.position);
  way.number(m.kind);
  way.number(m.site);
  way.number(m.happened);
  way.rows(m.writes, 2, [&](auto& row) {
    way.number(row.variable, kMostVariables);
    way.number(row.value);
  });
  way.rows(m.clock, 2, [&](auto& row) {
    way.number(row.thread, kMostThreads);
    way.number(row.count);
    way.require(row.count != 0);
  });
  for (std::size_t i = 1; i < m.clock.size(); ++i) way.require(m.clock[i - 1].thread < m.clock[i].thread);
}
template <typename Way, typename M>
void checkpoint(Way& way, M& m) {
  way.number(m.epoch);
  way.number(m.kind, wire::kGiveUp);
  way.number(m.site);
  way.number(m.thread, kMostThreads);
  way.rows(m.threads, 5, [&](auto& row) {
    way.number(row.thread, kMostThreads);
    way.number(row.sent);
    way.number(row.alive);
    way.number(row.waits);
    way.number(row.other, kMostThreads);
  });
  for (std::size_t i = 1; i < m.threads.size(); ++i) way.require(m.threads[i - 1].thread < m.threads[i].thread);
}
template <typename Way, typename M>
void finish(Way& way, M& m) {
  way.number(m.how, 4);
  way.require(m.how != wire::EndKind{});
  way.number(m.value);
  way.number(m.messages);
  way.number(m.external_writes);
  way.number(m.horizons);
  way.number(m.forks);
  way.number(m.unsupported);
  way.number(m.early);
  way.number(m.late_names);
  way.number(m.handed_over);
}
template <typename Way, typename M>
void table(Way& way, M& m) {
  way.rows(m.variables, 4, [&](auto& row) {
    way.number(row.address);
    way.number(row.size, 8);
    way.require(row.size != 0);
    way.text(row.watch);
    way.number(row.asks);
  });
  way.require(m.variables.size() <= kMostVariables);
  way.rows(m.predicates, 8, [&](auto& row) {
    way.number(row.what, static_cast<std::uint64_t>(Match::User));
    way.number(row.any);
    way.number(row.asks);
    way.number(row.has_thread);
    way.number(row.thread);
    way.number(row.address);
    way.number(row.size);
    way.text(row.name);
    way.rows(row.sites, 1, [&](auto& site) { way.number(site); });
  });
  way.require(m.predicates.size() <= kMostPredicates);
}

// The one list of messages: what type each has, and its fields.
template <typename M>
struct Form;
#define SOOTH_FORM(message, type, ...)                                                                                 \
  template <>                                                                                                          \
  struct Form<message> {                                                                                               \
    static constexpr Type kType = Type::type;                                                                          \
    template <typename Way, typename M>                                                                                \
    static void fields(Way& way, M& m) {                                                                               \
      __VA_ARGS__;                                                                                                     \
    }                                                                                                                  \
  }
SOOTH_FORM(Hello, Hello, hello(way, m));
SOOTH_FORM(ModulePart, Module, module_part(way, m));
SOOTH_FORM(SymbolsSent, Symbols, way.number(m.modules, kMostModules));
SOOTH_FORM(InitialState, Initial, way.rows(m.values, 1, [&](auto& value) { way.number(value); }));
SOOTH_FORM(EventMessage, Event, event(way, m));
SOOTH_FORM(ForkMessage, Fork, place(way, m.place); way.number(m.child, kMostThreads));
SOOTH_FORM(EndMessage, End, place(way, m.place));
SOOTH_FORM(WaitsMessage, Waits, place(way, m.place); way.number(m.other, kMostThreads));
SOOTH_FORM(CheckpointMessage, Checkpoint, checkpoint(way, m));
SOOTH_FORM(FinishMessage, Finish, finish(way, m));
SOOTH_FORM(AskMessage, Ask, way.number(m.position));
SOOTH_FORM(Welcome, Welcome, way.number(m.version));
SOOTH_FORM(Refused, Refused, way.text(m.why));
SOOTH_FORM(Later, Later, way.text(m.why));
SOOTH_FORM(Table, Table, table(way, m));
SOOTH_FORM(Ack, Ack, way.number(m.position));
SOOTH_FORM(Stop, Stop, way.text(m.why));
SOOTH_FORM(Call, Call, way.text(m.function); way.text(m.property); way.text(m.text); way.text(m.file);
           way.number(m.line));
#undef SOOTH_FORM

template <std::size_t I = 0>
std::optional<Message> decode_as(Type type, wire::In& in) {
  if constexpr (I < std::variant_size_v<Message>) {
    using M = std::variant_alternative_t<I, Message>;
    if (Form<M>::kType != type) return decode_as<I + 1>(type, in);
    M message;
    Reader reader(in);
    Form<M>::fields(reader, message);
    return message;
  } else {
    return std::nullopt;
  }
}

} // namespace

bool Table::asks() const {
  return std::ranges::any_of(variables, &TableVariable::asks) || std::ranges::any_of(predicates, &TablePredicate::asks);
}

Result<Message> decode(std::span<const std::uint8_t> body) {
  wire::In in{body.data(), body.data() + body.size()};
  const std::uint8_t type = in.byte();
  if (!in.ok) return Error{"an empty message.", "", 0, 0};
  auto message = decode_as(static_cast<Type>(type), in);
  if (!message) return Error{fmt::format("a message of unknown type {}.", type), "", 0, 0};
  if (!in.ok) return Error{fmt::format("a message of type {} with wrong fields.", type), "", 0, 0};
  if (in.left() != 0)
    return Error{fmt::format("a message of type {} with {} bytes too many.", type, in.left()), "", 0, 0};
  return *std::move(message);
}

std::vector<std::uint8_t> encode(const Message& message) {
  std::vector<std::uint8_t> frame(wire::kLengthBytes);
  std::visit(
      [&]<typename M>(const M& m) {
        frame.push_back(static_cast<std::uint8_t>(Form<M>::kType));
        Writer writer(frame);
        Form<M>::fields(writer, m);
      },
      message);
  const std::size_t length = frame.size() - wire::kLengthBytes;
  if (length > wire::kMaxFrame) return {};
  wire::put_length(frame.data(), length);
  return frame;
}

void Frames::add(std::span<const std::uint8_t> bytes) {
  // Used bytes are dropped when they are more than the rest: every byte is moved at most once on
  // average.
  if (used_ > bytes_.size() - used_) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ = 0;
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

Result<std::optional<std::span<const std::uint8_t>>> Frames::next(std::size_t most) {
  using Body = std::optional<std::span<const std::uint8_t>>;
  if (left() < wire::kLengthBytes) return Body{};
  const std::size_t length = wire::length_at(bytes_.data() + used_);
  if (length == 0 || length > most)
    return Error{fmt::format("a message of {} bytes; the most is {}.", length, most), "", 0, 0};
  if (left() < wire::kLengthBytes + length) return Body{};
  const std::uint8_t* body = bytes_.data() + used_ + wire::kLengthBytes;
  used_ += wire::kLengthBytes + length;
  return Body{std::span(body, length)};
}

} // namespace sooth::observe
