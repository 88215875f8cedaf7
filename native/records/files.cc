#include "records/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace slice {
namespace {

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  bool Open() const { return number_ >= 0; }

  bool Write(const std::string& bytes) const {
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t count = write(number_, bytes.data() + done, bytes.size() - done);
      if (count <= 0) return false;
      done += static_cast<size_t>(count);
    }
    return true;
  }

  std::string Read() const {
    std::string bytes;
    char block[1 << 16];
    for (ssize_t count; (count = read(number_, block, sizeof block)) > 0;) {
      bytes.append(block, static_cast<size_t>(count));
    }
    return bytes;
  }

 private:
  const int number_;
};

std::string TemporaryName(const std::string& path) {
  static std::atomic<int> count{0};
  return path + ".part-" + std::to_string(getpid()) + "-" + std::to_string(count++);
}

}  // namespace

bool WriteWhole(const std::string& path, const std::string& bytes) {
  const std::string temporary = TemporaryName(path);
  bool written = false;
  {
    const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    written = file.Open() && file.Write(bytes);
  }
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return true;
  unlink(temporary.c_str());
  return false;
}

std::string ReadWhole(const std::string& path) {
  const Descriptor file(path, O_RDONLY);
  return file.Open() ? file.Read() : "";
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

bool MakeFolder(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), 0755);
    if (slash == std::string::npos) break;
  }
  return Exists(path);
}

bool AppendLine(const std::string& path, const std::string& line) {
  const Descriptor file(path, O_WRONLY | O_CREAT | O_APPEND);
  return file.Open() && file.Write(line + "\n");
}

}  // namespace slice
