#include "program/store.h"

#include "core/settings.h"
#include "core/status.h"
#include "records/files.h"

namespace slice {
namespace {

std::string PathOf(const std::string& hash) {
  return GetSettings().cache + "/" + hash.substr(0, 2) + "/" + hash + ".facts";
}

}  // namespace

FactsRef LoadFacts(const std::string& hash) {
  if (GetSettings().cache.empty()) return nullptr;
  const std::string bytes = ReadWhole(PathOf(hash));
  if (bytes.empty()) return nullptr;
  try {
    return Unpack(bytes);
  } catch (const Failure&) {
    return nullptr;
  }
}

void StoreFacts(const std::string& hash, const Facts& facts) {
  if (GetSettings().cache.empty()) return;
  const std::string path = PathOf(hash);
  if (MakeFolder(path.substr(0, path.rfind('/')))) WriteWhole(path, Pack(facts));
}

}  // namespace slice
