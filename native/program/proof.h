// What a proof of settings needs of a run: what was sent to the compiler, and an early end.
#pragma once

#include <string>

namespace pjrt {
struct LoadedExecutable;
}  // namespace pjrt

namespace slice {

// Called before a program is compiled or read from a cache, ours or the framework's; `hash` is that of the
// whole question. Keeps program and options under their content's hash, records that they were asked for, and
// ends the process when the settings name this program (by its size or its name) as the one to stop at.
void NoteQuestion(const std::string& hash, const std::string& program, const std::string& options);

// Called before a program runs. Ends the process when the settings name this program as the one not to run,
// or when they want the end of a settled program: the one with the most arithmetic has run often enough, and
// nothing new was asked for a while.
void NoteExecution(const pjrt::LoadedExecutable& program);

}  // namespace slice
