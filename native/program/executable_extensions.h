// Extension calls that take an executable: its layouts, shardings and ABI version.
#pragma once

#include "abi/extensions.h"

namespace slice {

pjrt::Error* OutputLayouts(pjrt::Executable_Layouts_Args* arguments);
pjrt::Error* ParameterLayouts(pjrt::Executable_Layouts_Args* arguments);

void InstallShardings(pjrt::ShardingsExtension& extension);
void InstallAbiVersion(pjrt::AbiVersionExtension& extension);

}  // namespace slice
