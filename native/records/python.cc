#include "records/python.h"

#include <dlfcn.h>

#include "core/settings.h"

namespace slice {
namespace {

// The functions of CPython's C API that are needed, found in the process that loaded us.
struct Python {
  template <typename T>
  static void Find(T& function, const char* name) {
    function = reinterpret_cast<T>(dlsym(RTLD_DEFAULT, name));
  }

  Python() {
    Find(is_initialized, "Py_IsInitialized");
    Find(is_finalizing, "Py_IsFinalizing");
    if (!is_finalizing) Find(is_finalizing, "_Py_IsFinalizing");
    Find(this_thread, "PyGILState_GetThisThreadState");
    Find(take_lock, "PyGILState_Ensure");
    Find(give_lock, "PyGILState_Release");
    Find(frame_of, "PyEval_GetFrame");
    Find(outer, "PyFrame_GetBack");
    Find(code_of, "PyFrame_GetCode");
    Find(line_of, "PyFrame_GetLineNumber");
    Find(attribute, "PyObject_GetAttrString");
    Find(text_of, "PyUnicode_AsUTF8");
    Find(release, "Py_DecRef");
    Find(retain, "Py_IncRef");
    Find(clear_error, "PyErr_Clear");
    Find(new_dictionary, "PyDict_New");
    Find(set_item, "PyDict_SetItemString");
    Find(item, "PyDict_GetItemString");
    Find(builtins, "PyEval_GetBuiltins");
    Find(run, "PyRun_String");
    Find(text, "PyUnicode_FromString");
    Find(call, "PyObject_CallFunction");
  }

  bool Usable() const {
    return is_initialized && is_finalizing && this_thread && take_lock && give_lock && frame_of && outer &&
           code_of && line_of && attribute && text_of && release && retain && clear_error &&
           is_initialized() && !is_finalizing() && this_thread();
  }

  int (*is_initialized)();
  int (*is_finalizing)();
  void* (*this_thread)();
  int (*take_lock)();
  void (*give_lock)(int);
  void* (*frame_of)();
  void* (*outer)(void*);
  void* (*code_of)(void*);
  int (*line_of)(void*);
  void* (*attribute)(void*, const char*);
  const char* (*text_of)(void*);
  void (*release)(void*);
  void (*retain)(void*);
  void (*clear_error)();
  void* (*new_dictionary)();
  int (*set_item)(void*, const char*, void*);
  void* (*item)(void*, const char*);
  void* (*builtins)();
  void* (*run)(const char*, int, void*, void*);
  void* (*text)(const char*);
  void* (*call)(void*, const char*, ...);
};

const Python& GetPython() {
  static const Python python;
  return python;
}

// Holds Python's lock.
class Locked {
 public:
  explicit Locked(const Python& python) : python_(python), state_(python.take_lock()) {}
  ~Locked() { python_.give_lock(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  const Python& python_;
  const int state_;
};

std::string FileOf(const Python& python, void* frame) {
  void* code = python.code_of(frame);
  void* name = python.attribute(code, "co_filename");
  const char* text = name ? python.text_of(name) : nullptr;
  std::string file = text ? text : "";
  if (name) python.release(name);
  python.release(code);
  python.clear_error();
  return file;
}

// Libraries between the user's program and us. Other installed packages may be the program (`python -m`).
constexpr const char* kLibraries[] = {"jax",   "jaxlib", "flax", "optax",  "orbax",     "numpy",
                                      "torch", "numba",  "chex", "einops", "torch_tpu", "tensorflow"};

bool IsLibrary(const std::string& file) {
  const std::string kInstalled = "-packages/";  // site-packages, dist-packages
  const size_t found = file.rfind(kInstalled);
  if (found == std::string::npos) return file.find("/lib/python3") != std::string::npos;
  const std::string inside = file.substr(found + kInstalled.size());
  const std::string package = inside.substr(0, inside.find('/'));
  for (const char* library : kLibraries) {
    if (package == library) return true;
  }
  return false;
}

bool IsUsers(const std::string& file) {
  return !file.empty() && file.find("<frozen") == std::string::npos && !IsLibrary(file);
}

// The innermost frame of the user; the outermost of all when only libraries are on the stack.
std::string InnermostUserLine(const Python& python) {
  void* frame = python.frame_of();
  if (!frame) return "";
  python.retain(frame);
  std::string line;
  while (frame) {
    const std::string file = FileOf(python, frame);
    line = file + ":" + std::to_string(python.line_of(frame));
    void* next = IsUsers(file) ? nullptr : python.outer(frame);
    python.release(frame);
    frame = next;
  }
  return line;
}

std::string Libraries() {
  std::string names;
  for (const char* library : kLibraries) names += std::string(library) + " ";
  return names;
}

// The function `describe` of the module; null when it cannot be loaded.
void* LoadDescribe(const Python& python) {
  constexpr char kLoad[] = R"(
import importlib.util, sys
spec = importlib.util.spec_from_file_location(
    "tpuguru_reading", folder + "/__init__.py", submodule_search_locations=[folder])
module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
describe = module.describe
)";
  constexpr int kFileInput = 257;  // Py_file_input
  void* names = python.new_dictionary();
  python.set_item(names, "__builtins__", python.builtins());
  void* folder = python.text(GetSettings().reading.c_str());
  python.set_item(names, "folder", folder);
  python.release(folder);
  void* done = python.run(kLoad, kFileInput, names, names);
  if (!done) {
    python.clear_error();
    return nullptr;
  }
  python.release(done);
  return python.item(names, "describe");  // `names` stays, and with it the function
}

}  // namespace

std::string PythonLine() {
  const Python& python = GetPython();
  if (!python.Usable()) return "";
  const Locked locked(python);
  return InnermostUserLine(python);
}

bool OnPythonThread() { return GetPython().Usable(); }

std::string DescribeRead(const char* kind) {
  const Python& python = GetPython();
  if (GetSettings().reading.empty() || !python.Usable() || !python.run) return "";
  const Locked locked(python);
  static void* const describe = LoadDescribe(python);
  void* described = describe ? python.call(describe, "ss", Libraries().c_str(), kind) : nullptr;
  const char* text = described ? python.text_of(described) : nullptr;
  std::string result = text ? text : "";
  if (described) python.release(described);
  python.clear_error();
  return result;
}

}  // namespace slice
