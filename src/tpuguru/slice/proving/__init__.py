"""Which settings of any JAX or TorchTPU program change what it sends to the compiler: measured."""
