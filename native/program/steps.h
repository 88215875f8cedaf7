// Ending a rehearsal after the steps that were asked for.
#pragma once

namespace pjrt {
struct LoadedExecutable;
}

namespace slice {

// To be told of each execution before it. Throws Failure (CANCELLED) when this one would begin a step more
// than the settings ask for.
//
// Which program is the step, records/leader.h says. A loop that initialises layers before there is one with
// products looks much like steps, but nobody reads what it makes: so runs of a program without products count
// only when the host has read something since the last that counted.
void StopAfterSteps(const pjrt::LoadedExecutable& program);

}  // namespace slice
