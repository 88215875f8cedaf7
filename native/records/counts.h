// What is counted while a program runs and written at most once a second: executions, transfers, the step,
// unknown reads, and where the process is.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "memory/account.h"

namespace slice {

// Counts from nothing: another client begins.
void StartCounts();

// Counts one execution of loaded program `index`, which does `flops`; the one with the most is the step.
void CountExecution(int64_t index, const std::string& step, const std::pair<bool, double>& work);

// Executions of all programs of this process.
int64_t ExecutionsSoFar();

// Reads of arrays by the host.
int64_t ReadsSoFar();

enum class Direction { kToDevice, kToHost };

// `python` is the line that reads, for transfers to the host; empty when it is not known.
void CountTransfer(Direction direction, int64_t bytes, const std::string& python = "");

// Notes what lives on a device when it holds the most that any device of this process ever held.
void NotePeak(int device, const MemoryAccount& account, const MemoryUse& use, int64_t during, int64_t index);

// Notes that the counts of unknown reads (records/unknown_reads.h) have changed.
void NoteUnknownRead();

// Writes what is not on disk yet.
void FlushCounts();

}  // namespace slice
