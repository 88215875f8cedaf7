#include <thread>
#include <vector>

#include "records/files.h"
#include "records/json.h"
#include "unit/expect.h"

namespace slice {
namespace {

void JsonIsJson() {
  const std::string text = JsonObject().Text("a\"b", "x\n\\\x01").Number("n", -5).Real("r", 0.1).Done();
  EXPECT(text == "{\"a\\\"b\":\"x\\u000a\\\\\\u0001\",\"n\":-5,\"r\":0.10000000000000001}");
  EXPECT(JsonObject().Real("r", 0.0 / 0.0).Done() == "{\"r\":null}");
  EXPECT(JsonObject().Texts("t", {}).Done() == "{\"t\":[]}");
}

void FilesAreWholeOrAbsent(const std::string& folder) {
  EXPECT(MakeFolder(folder + "/a/b"));
  EXPECT(WriteWhole(folder + "/a/b/c", "content") && ReadWhole(folder + "/a/b/c") == "content");
  EXPECT(!WriteWhole(folder + "/absent/c", "content") && ReadWhole(folder + "/absent/c").empty());
  EXPECT(!WriteWhole("/dev/full/c", "content"));
  EXPECT(AppendLine(folder + "/lines", "one") && AppendLine(folder + "/lines", "two"));
  EXPECT(ReadWhole(folder + "/lines") == "one\ntwo\n");
  EXPECT(!AppendLine("/dev/full", "lost"));
}

void TextThatIsNotUtf8IsStillJson() {
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT(QuoteJson("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
  EXPECT(QuoteJson("a\xff z") == "\"a" + replaced + " z\"");
  EXPECT(QuoteJson("\xe2\x82") == "\"" + replaced + replaced + "\"");                 // cut off
  EXPECT(QuoteJson("\xc0\xaf") == "\"" + replaced + replaced + "\"");                 // longer than need be
  EXPECT(QuoteJson("\xed\xa0\x80") == "\"" + replaced + replaced + replaced + "\"");  // half a surrogate pair
  EXPECT(QuoteJson("\xf5\x80\x80\x80").find('\xf5') == std::string::npos);            // beyond Unicode
}

void LinesOfSeveralWritersStayWhole(const std::string& folder) {
  const std::string path = folder + "/shared";
  std::vector<std::thread> writers;
  for (char letter : {'a', 'b', 'c'}) {
    writers.emplace_back([=] {
      for (int i = 0; i < 200; i++) AppendLine(path, std::string(5000, letter));
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string all = ReadWhole(path);
  EXPECT(all.size() == 3 * 200 * 5001);
  for (size_t at = 0; at < all.size(); at += 5001) {
    EXPECT(all.compare(at, 5001, std::string(5000, all[at]) + "\n") == 0);
  }
}

}  // namespace

void TestRecords(const std::string& folder) {
  JsonIsJson();
  FilesAreWholeOrAbsent(folder);
  TextThatIsNotUtf8IsStillJson();
  LinesOfSeveralWritersStayWhole(folder);
}

}  // namespace slice
