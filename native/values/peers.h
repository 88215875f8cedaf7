// What torch.distributed's sends and receives say of themselves before they reach the plugin.
//
// A framework's receive does not say from whom, and its send may wait for the receiver outside of the plugin.
// The hook in the user's Python (src/tpuguru/slice/hooks) tells both.
#pragma once

#include <string>

namespace slice {

// The channel (group, source, tag) of what this thread receives now; empty when nobody said.
const std::string& ReceiveChannel();

}  // namespace slice
