#include <sys/socket.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "unit/expect.h"
#include "values/connection.h"
#include "values/unknown.h"
#include "values/value.h"

namespace slice {
namespace {

using pjrt::ElementType;

void UnknownFloatsReadAsNaN() {
  float values[3];
  FillUnknown(ElementType::kF32, {}, values, sizeof values);
  EXPECT(values[0] != values[0] && values[2] != values[2]);
  uint16_t half[2];
  FillUnknown(ElementType::kBf16, {}, half, sizeof half);
  EXPECT(half[1] == 0x7fc0);
  int32_t whole = 7;
  FillUnknown(ElementType::kS32, {}, &whole, sizeof whole);
  EXPECT(whole == 0);
  double odd[2] = {1, 1};
  FillUnknown(ElementType::kF64, {}, odd, 12);  // not a whole number of elements: the rest is left alone
  EXPECT(odd[0] != odd[0] && odd[1] == 1);
}

template <typename Bits>
Bits UnknownBits(ElementType element, std::optional<double> number = {}) {
  Bits bits = 0;
  FillUnknown(element, number, &bits, sizeof bits);
  return bits;
}

void EveryTypeHasItsUnknown() {
  EXPECT(UnknownBits<uint16_t>(ElementType::kF16) == 0x7e00);
  EXPECT(UnknownBits<uint64_t>(ElementType::kC64) == 0x7fc000007fc00000);
  EXPECT(UnknownBits<uint8_t>(ElementType::kF8E5m2) == 0x7f);
  EXPECT(UnknownBits<uint8_t>(ElementType::kF8E4m3fnuz) == 0x80);
  EXPECT(UnknownBits<uint8_t>(ElementType::kF8E8m0fnu) == 0xff);
  EXPECT(UnknownBits<uint8_t>(ElementType::kF4E2m1fn) == 0);  // has no NaN
  EXPECT(UnknownBits<uint8_t>(ElementType::kPred) == 0);
  EXPECT(UnknownBits<uint64_t>(ElementType::kU64) == 0);
}

void AnAnswerIsWrittenInEveryType() {
  EXPECT(UnknownBits<uint16_t>(ElementType::kF16, 1.0) == 0x3c00);
  EXPECT(UnknownBits<uint16_t>(ElementType::kF16, -2.5) == 0xc100);
  EXPECT(UnknownBits<uint16_t>(ElementType::kF16, 1e30) == 0x7bff);  // the biggest it has
  EXPECT(UnknownBits<uint16_t>(ElementType::kBf16, 1.0) == 0x3f80);
  EXPECT(UnknownBits<int8_t>(ElementType::kS8, 1e9) == 127);
  EXPECT(UnknownBits<int32_t>(ElementType::kS32, -1e30) == INT32_MIN);
  EXPECT(UnknownBits<uint8_t>(ElementType::kU8, -5.0) == 0);
  EXPECT(UnknownBits<int64_t>(ElementType::kS64, 1e30) == INT64_MAX);
  EXPECT(UnknownBits<uint8_t>(ElementType::kPred, 3.0) == 1);
  EXPECT(UnknownBits<uint16_t>(ElementType::kF16, std::nan("")) == 0x7e00);
}

// The other end of a connection, as the values service is.
class Service {
 public:
  Service() {
    int ends[2];
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    static auto& never_destroyed = *new std::vector<Connection*>;
    never_destroyed.push_back(new Connection(ends[0]));
    connection = never_destroyed.back();
    socket_ = ends[1];
  }
  std::string Read(size_t size) const {
    std::string bytes(size, '\0');
    EXPECT(recv(socket_, bytes.data(), size, MSG_WAITALL) == static_cast<ssize_t>(size));
    return bytes;
  }
  void Answer(uint64_t request, bool known, const std::string& text) const {
    Frame frame(FrameKind::kFetch);
    frame.Long(request);
    frame.Byte(known);
    frame.Bytes(text);
    const std::string bytes = frame.Done();
    EXPECT(send(socket_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }
  void GoAway() const { close(socket_); }

  Connection* connection;

 private:
  int socket_;
};

// What became of a question: "=" and the value, or "?" and the reason.
std::future<std::string> Ask(Connection& connection, uint64_t id) {
  auto answer = std::make_shared<std::promise<std::string>>();
  connection.Ask(
      Frame(FrameKind::kFetch),
      [answer](const std::string* bytes, const std::string& reason) {
        answer->set_value(bytes ? "=" + *bytes : "?" + reason);
      },
      [id](Frame& frame) { frame.Long(id); });
  return answer->get_future();
}

void FramesCarryTheirLength() {
  Frame frame(FrameKind::kFree);
  frame.Int(7);
  EXPECT(frame.Done() == std::string("\x05\0\0\0\x05\x07\0\0\0", 9));
}

void AnswersReachWhoeverAsked() {
  const Service service;
  auto first = Ask(*service.connection, 70);
  auto second = Ask(*service.connection, 71);
  const std::string told = service.Read(2 * 21);
  EXPECT(told[5] == 1 && told[13] == 70 && told[26] == 2 && told[34] == 71);
  service.Answer(2, true, "value");
  service.Answer(9, true, "nobody asked");
  service.Answer(1, false, "a kernel");
  EXPECT(second.get() == "=value");
  EXPECT(first.get() == "?a kernel");
  service.GoAway();
}

void AServiceThatGoesAwayLeavesNobodyWaiting() {
  const Service service;
  auto before = Ask(*service.connection, 1);
  service.Read(21);
  service.GoAway();
  EXPECT(before.get() == "?the values service went away");
  EXPECT(Ask(*service.connection, 2).get() == "?the values service went away");
  service.connection->Tell("lost");
  service.connection->Flush();
}

void NobodyListensAtAWrongPath() {
  EXPECT(ConnectTo("/nowhere/at/all") < 0);
  EXPECT(ConnectTo(std::string(500, 'x')) < 0);  // longer than an address can be
}

}  // namespace

void TestValues() {
  UnknownFloatsReadAsNaN();
  EveryTypeHasItsUnknown();
  AnAnswerIsWrittenInEveryType();
  FramesCarryTheirLength();
  AnswersReachWhoeverAsked();
  AServiceThatGoesAwayLeavesNobodyWaiting();
  NobodyListensAtAWrongPath();
}

}  // namespace slice
