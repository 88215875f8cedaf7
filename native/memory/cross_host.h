// Arrays sent from process to process.
#pragma once

#include "abi/transfers.h"

namespace slice {

void InstallTransfers(pjrt::TransfersExtension& extension);

}  // namespace slice
