"""Reading HLO text by streaming: shapes, instructions, loops, device groups, FLOPs."""
