#include "program/executable_extensions.h"

#include "core/libtpu.h"
#include "core/overrides.h"
#include "program/executable.h"

namespace slice {
namespace {

pjrt::Error* ParameterShardings(pjrt::Executable_Shardings_Args* arguments) {
  const pjrt::Executable& executable = *arguments->executable;
  const bool known = executable.facts->has_parameter_shardings;
  arguments->count = executable.parameter_shardings.texts.size();
  arguments->shardings = known ? executable.parameter_shardings.texts.data() : nullptr;
  arguments->sizes = known ? executable.parameter_shardings.sizes.data() : nullptr;
  return nullptr;
}

pjrt::Error* OutputShardings(pjrt::Executable_Shardings_Args* arguments) {
  const pjrt::Executable& executable = *arguments->executable;
  const bool known = executable.facts->has_output_shardings;
  arguments->count = executable.output_shardings.texts.size();
  arguments->shardings = known ? executable.output_shardings.texts.data() : nullptr;
  arguments->sizes = known ? executable.output_shardings.sizes.data() : nullptr;
  return nullptr;
}

// libtpu makes the version object again from the bytes it gave when it compiled.
pjrt::Error* AbiVersionOf(pjrt::Executable_AbiVersion_Args* arguments) {
  const std::string& bytes = arguments->executable->facts->abi_version;
  if (bytes.empty())
    throw Failure(pjrt::kUnimplemented, "this libtpu does not say the program's ABI version");
  Arguments<pjrt::AbiVersion_FromProto_Args> parse;
  parse.bytes = bytes.data();
  parse.bytes_size = bytes.size();
  Check(ExtensionOf<pjrt::AbiVersionExtension>(pjrt::kAbiVersionExtension)->executable_from_proto(&parse));
  arguments->abi_version = parse.abi_version;
  return nullptr;
}

template <typename T>
using Typed = pjrt::Error* (*)(T*);

}  // namespace

pjrt::Error* OutputLayouts(pjrt::Executable_Layouts_Args* arguments) {
  arguments->layouts = arguments->executable->output_layouts.data();
  arguments->num_layouts = arguments->executable->output_layouts.size();
  return nullptr;
}

pjrt::Error* ParameterLayouts(pjrt::Executable_Layouts_Args* arguments) {
  arguments->layouts = arguments->executable->parameter_layouts.data();
  arguments->num_layouts = arguments->executable->parameter_layouts.size();
  return nullptr;
}

void InstallShardings(pjrt::ShardingsExtension& extension) {
  extension.of_parameters = reinterpret_cast<Typed<pjrt::Executable_Shardings_Args>>(
      SLICE_GUARDED(Shardings_Parameters, ParameterShardings, pjrt::Executable_Shardings_Args));
  extension.of_outputs = reinterpret_cast<Typed<pjrt::Executable_Shardings_Args>>(
      SLICE_GUARDED(Shardings_Outputs, OutputShardings, pjrt::Executable_Shardings_Args));
}

void InstallAbiVersion(pjrt::AbiVersionExtension& extension) {
  extension.of_executable = reinterpret_cast<Typed<pjrt::Executable_AbiVersion_Args>>(
      SLICE_GUARDED(AbiVersion_OfExecutable, AbiVersionOf, pjrt::Executable_AbiVersion_Args));
}

}  // namespace slice
