#include "program/compile.h"

#include <chrono>
#include <cstdlib>

#include "core/libtpu.h"
#include "core/overrides.h"
#include "core/settings.h"
#include "device/client.h"
#include "device/topology.h"
#include "program/canonical_options.h"
#include "program/first_slices.h"
#include "program/loaded.h"
#include "program/proof.h"
#include "program/sha256.h"
#include "program/store.h"
#include "records/python.h"
#include "records/records.h"

namespace slice {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Everything that can change what the compiler makes: the topology as libtpu serialises it is not stable
// between processes, so its name stands for it.
std::string QuestionOf(const std::string& program, const std::string& options) {
  const Settings& settings = GetSettings();
  std::string question = settings.topology + "\n" + std::to_string(settings.slices) + "\n";
  for (const int64_t bound : settings.host_bounds) question += std::to_string(bound) + ",";
  question += "\n" + settings.chip_config + "\n";
  for (const bool ring : settings.wrap) question += ring ? "1" : "0";
  question += "\n" + CurrentClient().platform_version + "\n";
  for (const char* name : {"LIBTPU_INIT_ARGS", "XLA_FLAGS"}) {
    const char* value = std::getenv(name);
    question += std::string(name) + "=" + (value ? value : "") + "\n";
  }
  return question + Sha256(CanonicalOptions(options)) + Sha256(program);
}

FactsRef CompileNow(const pjrt::TopologyDescription* topology, const pjrt::Program& program,
                    const std::string& options) {
  const pjrt::Client* client = ClientOrNull();
  const std::string compiled = client ? OnFirstSlices(options, *client) : options;
  Arguments<pjrt::Compile_Args> compile;
  compile.topology = topology;
  compile.program = &program;
  compile.compile_options = compiled.data();
  compile.compile_options_size = compiled.size();
  Check(CallLibtpu<pjrt::kCompile>(compile));
  FactsRef facts = FactsFromLibtpu(compile.executable, program, options);
  Arguments<pjrt::Executable_Destroy_Args> destroy;
  destroy.executable = compile.executable;
  Check(CallLibtpu<pjrt::kExecutable_Destroy>(destroy));
  return facts;
}

// The compiler may take a long time, or the whole process with it: what it is at is known beforehand.
FactsRef CompileRecorded(const std::string& hash, const pjrt::TopologyDescription* topology,
                         const pjrt::Program& program, const std::string& options) {
  const double start = Now();
  RecordCompileBegun(hash, PythonLine());
  try {
    FactsRef facts = CompileNow(topology, program, options);
    RecordCompileEnded(hash, Now() - start);
    return facts;
  } catch (const LibtpuFailure& failure) {
    RecordCompileFailure(hash, PythonLine(), Now() - start, MessageOf(failure.error));
    throw;
  }
}

}  // namespace

std::string HashOf(const Facts& facts) { return Sha256(QuestionOf(facts.program, facts.options)); }

Compiled CompileProgram(const pjrt::TopologyDescription* topology, const pjrt::Program& program,
                        const std::string& options) {
  const double start = Now();
  Compiled compiled;
  const std::string code(program.code, program.code_size);
  compiled.hash = Sha256(QuestionOf(code, options));
  NoteQuestion(compiled.hash, code, options);
  const bool ours = topology == CurrentClient().topology;
  if (ours) compiled.facts = LoadFacts(compiled.hash);
  compiled.cached = compiled.facts != nullptr;
  if (!compiled.cached) {
    compiled.facts = CompileRecorded(compiled.hash, topology, program, options);
    if (ours) StoreFacts(compiled.hash, *compiled.facts);
  }
  compiled.seconds = Now() - start;
  return compiled;
}

namespace {

using namespace pjrt;  // NOLINT: the functions below are the table's own

Error* Client_Compile(Client_Compile_Args* arguments) {
  const std::string options(arguments->compile_options, arguments->compile_options_size);
  arguments->executable =
      Load(CompileProgram(arguments->client->topology, *arguments->program, options), options);
  return nullptr;
}

// Compiling ahead of time: no client takes part, so a topology that the program made itself works as well.
Error* Compile(Compile_Args* arguments) {
  const std::string options(arguments->compile_options, arguments->compile_options_size);
  if (!ClientOrNull()) {
    arguments->executable = new Executable(CompileNow(arguments->topology, *arguments->program, options));
    return nullptr;
  }
  arguments->executable =
      new Executable(CompileProgram(arguments->topology, *arguments->program, options).facts);
  return nullptr;
}

Error* Client_Load(Client_Load_Args* arguments) {
  const FactsRef& facts = arguments->executable->facts;
  std::string options(arguments->compile_options, arguments->compile_options_size);
  if (options.empty()) options = facts->options;
  arguments->loaded_executable = Load({facts, HashOf(*facts), 0, true}, options);
  return nullptr;
}

std::string OverridingOptions(const Executable_DeserializeAndLoad_Args* arguments) {
  if (arguments->struct_size < sizeof(*arguments) || !arguments->options) return "";
  return std::string(arguments->options, arguments->options_size);
}

Error* Executable_DeserializeAndLoad(Executable_DeserializeAndLoad_Args* arguments) {
  const FactsRef facts = Unpack(std::string(arguments->bytes, arguments->bytes_size));
  const std::string options = OverridingOptions(arguments);
  NoteQuestion(HashOf(*facts), facts->program, facts->options);
  arguments->loaded_executable =
      Load({facts, HashOf(*facts), 0, true}, options.empty() ? facts->options : options);
  return nullptr;
}

}  // namespace

std::vector<Override> CompileOverrides() {
  return {
      SLICE_OVERRIDE(Client_Compile),
      SLICE_OVERRIDE(Compile),
      SLICE_OVERRIDE(Client_Load),
      SLICE_OVERRIDE(Executable_DeserializeAndLoad),
  };
}

}  // namespace slice
