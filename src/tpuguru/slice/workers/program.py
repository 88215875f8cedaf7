"""A program compiled for N devices of the CPU."""

from importlib import import_module
from typing import Any

from .elements import TOKEN, Foreign, dtype_of
from .host_calls import Ask
from .module import Module


class Program:
    """One program compiled for N devices of the CPU."""

    def __init__(self, header: dict[str, Any], options: bytes, code: bytes) -> None:
        """Analyse and compile. Raises whatever XLA raises."""
        self.jax = import_module("jax")
        client = import_module("jax._src.lib").xla_client
        self.numpy = import_module("numpy")
        count = header["replicas"] * header["partitions"]
        module = Module(code, count)
        self.depends = [self._dependencies(module, each) for each in module.results]
        self._calls = module.calls
        self.host_calls = [self._dependencies(module, each) for each in module.called_with]
        self._host = module.host
        self.outputs = header["outputs"]
        self.devices = self.jax.devices("cpu")[:count]
        if len(self.devices) < count:
            raise RuntimeError(f"{count} devices are needed and {len(self.devices)} were started")
        self.executable = self.devices[0].client.compile_and_load(
            module.module,
            executable_devices=client.DeviceList(tuple(self.devices)),
            compile_options=self._options(client, header, options),
            host_callbacks=module.calls.functions,
        )

    def _dependencies(self, module: Module, depends: frozenset[int]) -> list[int] | str:
        """Return the arguments that a result depends on, or why it can never be known."""
        first = min(depends, default=0)
        return module.obstacle(first) if first < 0 else sorted(depends)

    def _options(self, client: Foreign, header: dict[str, Any], theirs: bytes) -> Foreign:
        """Take over what decides the partitioning; the rest of the framework's options is for the TPU."""
        asked = client.CompileOptions.ParseFromString(theirs).executable_build_options
        options = client.CompileOptions()
        replicas, partitions = header["replicas"], header["partitions"]
        options.num_replicas, options.num_partitions = replicas, partitions
        order = self.numpy.arange(replicas * partitions).reshape(replicas, partitions)
        options.device_assignment = client.DeviceAssignment.create(order)
        build = options.executable_build_options
        for name in (
            "use_spmd_partitioning",
            "use_shardy_partitioner",
            "allow_spmd_sharding_propagation_to_output",
            "allow_spmd_sharding_propagation_to_parameters",
        ):
            setattr(build, name, getattr(asked, name))
        return options

    def run(
        self, arguments: list[list[Foreign]], blobs: list[bytes], silent: list[int], ask: Ask
    ) -> list[bytes]:
        """Execute: ``blobs`` holds the arguments device by device, an empty one standing for unknown.

        ``silent`` are the host callbacks that are not called, since what they depend on is not known.
        """
        self._host.ask = ask
        for number, call in enumerate(self._host.calls):
            call.silent = number in silent
        count = len(self.devices)
        arrays = [
            self._array(kind, dims, [blobs[device * len(arguments) + i] for device in range(count)])
            for i, (kind, dims) in enumerate(arguments)
        ]
        self._calls.refusal = ""
        try:
            results = self.executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
            return [
                self._bytes(results[i][device], i)
                for device in range(count)
                for i in range(len(self.outputs))
            ]
        except Exception as error:
            if self._calls.refusal:
                raise RuntimeError(self._calls.refusal) from error
            raise

    def _array(self, kind: int, dims: list[int], blobs: list[bytes]) -> Foreign:
        dtype = dtype_of(kind)
        pieces = []
        for blob, device in zip(blobs, self.devices, strict=True):
            host = self.numpy.frombuffer(blob, dtype) if blob else self.numpy.zeros(dims, dtype)
            pieces.append(self.jax.device_put(host.reshape(dims), device))
        if len(pieces) == 1:
            return pieces[0]
        # Every device has its own piece of the same shape: to JAX that looks like one replicated array.
        mesh = self.jax.sharding.Mesh(self.numpy.array(self.devices), ("devices",))
        sharding = self.jax.sharding.NamedSharding(mesh, self.jax.sharding.PartitionSpec())
        return self.jax.make_array_from_single_device_arrays(tuple(dims), sharding, pieces)

    def _bytes(self, result: Foreign, output: int) -> bytes:
        kind, dims = self.outputs[output]
        if kind == TOKEN:
            return b""
        host = self.numpy.asarray(result)
        if list(host.shape) != dims or host.dtype != dtype_of(kind):
            raise RuntimeError(f"output {output} is {host.dtype}{list(host.shape)} on the CPU, not {dims}")
        return bytes(self.numpy.ascontiguousarray(host).tobytes())
