// The protocol's codec: what is encoded is decoded again, and nothing else is believed.
#include "observe/protocol.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "observe/address.h"

namespace sooth::observe {
namespace {

std::vector<Message> examples() {
  Hello hello;
  hello.role = wire::Role::Data;
  hello.session[3] = 7;
  hello.token = "secret";
  hello.program = "landing";
  hello.pid = 4711;
  EventMessage event;
  event.place = {1, 2, 3};
  event.position = 1u << 20;
  event.kind = 2;
  event.site = 99;
  event.happened = ~std::uint64_t{0};
  event.writes = {{0, 1}, {3, ~std::uint64_t{0}}};
  event.clock = {{0, 4}, {2, 4}};
  Table table;
  table.variables = {{0x1000, 4, "", false}, {0, 8, "queue", true}};
  table.predicates = {{Match::Call, false, false, 0, 0, 0, "f", {3, 9}, true},
                      {Match::ThreadEnd, false, true, 2, 0, 0, "", {}, false}};
  return {hello,
          ModulePart{2, 10, 13, {1, 2, 3}},
          SymbolsSent{3},
          InitialState{{1, 0, ~std::uint64_t{0}}},
          event,
          ForkMessage{{0, 0, 5}, 7},
          EndMessage{{4, 7, 0}},
          WaitsMessage{{0, 0, 6}, 7},
          CheckpointMessage{0, wire::kGiveUp, 12, 1, {{0, 5, true, true, 1}, {1, 9, false, false, 0}}},
          FinishMessage{wire::EndKind::Signal, -11, 100, 1, 2, 3, 4, 5, 6},
          AskMessage{78},
          Welcome{},
          Refused{"no"},
          Later{"not yet"},
          table,
          Ack{77},
          Stop{"enough"},
          Call{"f", "p", "property p: x when violated: call f", "a.c", 3}};
}

std::span<const std::uint8_t> body_of(const std::vector<std::uint8_t>& frame) {
  return std::span(frame).subspan(wire::kLengthBytes);
}

TEST(ObserveProtocol, EveryMessageComesBackAsItWas) {
  ASSERT_EQ(examples().size(), std::variant_size_v<Message>);
  for (const Message& message : examples()) {
    const auto decoded = decode(body_of(encode(message)));
    ASSERT_TRUE(decoded) << decoded.error().text();
    EXPECT_EQ(decoded.value(), message);
  }
}

TEST(ObserveProtocol, AMessageThatIsCutShortOrHasMoreBytesIsRefused) {
  for (const Message& message : examples()) {
    const auto frame = encode(message);
    auto body = std::vector(frame.begin() + wire::kLengthBytes, frame.end());
    if (!std::holds_alternative<ModulePart>(message)) { // its bytes are whatever is left
      for (std::size_t n = 0; n < body.size(); ++n)
        EXPECT_FALSE(decode(std::span(body).first(n))) << body[0] << " " << n;
    }
    if (std::holds_alternative<ModulePart>(message)) continue;
    body.push_back(0);
    EXPECT_FALSE(decode(body)) << static_cast<int>(body[0]);
  }
}

TEST(ObserveProtocol, CountsThatTheBytesCannotHoldAreRefused) {
  std::vector<std::uint8_t> body = {static_cast<std::uint8_t>(wire::Type::Initial), 0xff, 0xff, 0xff, 0xff, 0x0f};
  EXPECT_FALSE(decode(body));
}

TEST(ObserveProtocol, NumbersOfMoreThan64BitsAreRefused) {
  std::vector<std::uint8_t> body(11, 0xff);
  body.front() = static_cast<std::uint8_t>(wire::Type::Ack);
  body.back() = 0x7f;
  EXPECT_FALSE(decode(body));
  body.back() = 0x01;
  const auto most = decode(body);
  ASSERT_TRUE(most);
  EXPECT_EQ(std::get<Ack>(most.value()).position, ~std::uint64_t{0});
}

TEST(ObserveProtocol, ClocksAscendAndHaveNoZeros) {
  EventMessage event;
  event.clock = {{2, 1}, {1, 1}};
  EXPECT_FALSE(decode(body_of(encode(event))));
  event.clock = {{1, 0}};
  EXPECT_FALSE(decode(body_of(encode(event))));
}

TEST(ObserveProtocol, FramesAreFoundHoweverTheStreamIsCut) {
  EXPECT_TRUE(rc::check([] {
    std::vector<std::uint8_t> stream;
    for (const Message& message : examples()) {
      const auto frame = encode(message);
      stream.insert(stream.end(), frame.begin(), frame.end());
    }
    Frames frames;
    std::vector<Message> got;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t n = std::min(stream.size() - at, *rc::gen::inRange<std::size_t>(1, 40));
      frames.add(std::span(stream).subspan(at, n));
      at += n;
      for (;;) {
        const auto body = frames.next();
        RC_ASSERT(body.ok());
        if (!body.value()) break;
        const auto message = decode(*body.value());
        RC_ASSERT(message.ok());
        got.push_back(message.value());
      }
    }
    RC_ASSERT(got == examples());
    RC_ASSERT(frames.left() == 0u);
  }));
}

TEST(ObserveProtocol, ALengthThatIsNotPossibleEndsTheStream) {
  for (const std::size_t length : {std::size_t{0}, wire::kMaxFrame + 1, std::size_t{0xffffffff}}) {
    std::vector<std::uint8_t> head(wire::kLengthBytes);
    wire::put_length(head.data(), length);
    Frames frames;
    frames.add(head);
    EXPECT_FALSE(frames.next()) << length;
  }
}

TEST(ObserveProtocol, AnyBytesAreEitherAMessageOrAnError) {
  EXPECT_TRUE(rc::check([](const std::vector<std::uint8_t>& bytes) {
    const auto message = decode(bytes);
    if (!message) return;
    const auto frame = encode(message.value());
    RC_ASSERT(decode(body_of(frame)).value() == message.value());
  }));
}

TEST(ObserveAddress, WhatCanBeListenedAt) {
  const auto local = parse_address("unix:/tmp/x");
  ASSERT_TRUE(local);
  EXPECT_EQ(local.value().text(), "unix:/tmp/x");
  const auto loopback = parse_address("tcp:localhost:7007");
  ASSERT_TRUE(loopback);
  EXPECT_TRUE(loopback.value().loopback);
  EXPECT_EQ(loopback.value().text(), "tcp:127.0.0.1:7007");
  const auto wide = parse_address("tcp:0.0.0.0:0");
  ASSERT_TRUE(wide);
  EXPECT_FALSE(wide.value().loopback);
  const auto six = parse_address("tcp:[::1]:80");
  ASSERT_TRUE(six);
  EXPECT_TRUE(six.value().loopback);
  EXPECT_EQ(six.value().text(), "tcp:[::1]:80");
  for (const char* wrong : {"", "unix:", "tcp:", "tcp:1.2.3.4", "tcp:localhost:", "tcp:localhost:66000",
                            "tcp:localhost:1x", "tcp:example.org:80", "udp:localhost:80"})
    EXPECT_FALSE(parse_address(wrong)) << wrong;
  EXPECT_FALSE(parse_address("unix:/" + std::string(200, 'a')));
}

TEST(ObserveAddress, TokensAreTheSameOnlyIfEveryByteIs) {
  EXPECT_TRUE(same_token("secret", "secret"));
  EXPECT_FALSE(same_token("secret", "secre"));
  EXPECT_FALSE(same_token("secret", "secrets"));
  EXPECT_FALSE(same_token("secret", "Secret"));
  EXPECT_FALSE(same_token("secret", ""));
  EXPECT_FALSE(same_token("ab", "abab"));
  EXPECT_TRUE(same_token("", ""));
}

} // namespace
} // namespace sooth::observe
