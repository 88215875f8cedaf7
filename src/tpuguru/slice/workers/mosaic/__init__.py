"""An interpreter of Mosaic kernels (the programs of TPU custom calls) in numpy, for small kernels.

A kernel is MLIR of the dialects arith, math, vector, memref, scf and tpu. It is translated once into Python
functions over numpy arrays and then run for each point of its grid in order. An operation that is not in the
tables here is refused by name before anything runs. Semantics follow the dialects' documentation
(https://mlir.llvm.org/docs/Dialects, and for ``tpu`` the descriptions of the operations in jaxlib), not the
rounding of the TPU's units: matrix products of f32 are computed in f32, reciprocals exactly.
"""
