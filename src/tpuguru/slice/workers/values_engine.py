"""Compute small programs for real on XLA:CPU. Runs in the user's Python; imports nothing of ours.

Requests come on the standard input, answers go to the standard output. A message is a JSON object and byte
strings: two 4-byte counts (length of the JSON, number of byte strings), the JSON, then each byte string after
its 8-byte length. XLA:CPU may abort on programs made for a TPU; whoever started us starts us again.
"""

import json
import os
import re
import struct
import sys
from importlib import import_module
from typing import Any, BinaryIO

# XLA's element types by the number that the PJRT ABI gives them.
_NUMPY_NAMES = (
    *("", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "bfloat16", "complex64", "complex128", "float8_e5m2", "float8_e4m3fn"),
    *("float8_e4m3b11fnuz", "float8_e5m2fnuz", "float8_e4m3fnuz", "int4", "uint4", "", "int2", "uint2"),
    *("float8_e4m3", "float8_e3m4", "float8_e8m0fnu", "float4_e2m1fn"),
)

_TOKEN = 23

# Custom calls that XLA:CPU understands, or that its partitioner takes away.
_KEPT_CALLS = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "TopK", "mhlo.topk"}
# Custom calls that only say where a value lives.
_PLACEMENT_CALLS = {"annotate_device_placement", "MoveToHost", "MoveToDevice"}

_NEVER = -1  # stands among the arguments an output depends on: the output can never be known

type Dependencies = frozenset[int]
type Foreign = Any
"""An object of the user's own jax or numpy, whose types we do not have."""


def read_message(stream: BinaryIO) -> tuple[dict[str, Any], list[bytes]] | None:
    """Return the next message, or None at the end of the stream."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size, count = struct.unpack("<II", head)
    header = json.loads(stream.read(size))
    return header, [stream.read(struct.unpack("<Q", stream.read(8))[0]) for _ in range(count)]


def write_message(stream: BinaryIO, header: dict[str, Any], blobs: list[bytes]) -> None:
    """Write one message and flush."""
    text = json.dumps(header).encode()
    stream.write(struct.pack("<II", len(text), len(blobs)) + text)
    for blob in blobs:
        stream.write(struct.pack("<Q", len(blob)))
        stream.write(blob)
    stream.flush()


class Module:
    """A StableHLO module: what its outputs depend on, and without the operations that only a TPU has."""

    def __init__(self, code: bytes) -> None:
        """Parse the portable bytecode that the framework sent."""
        self.ir = import_module("jaxlib.mlir.ir")
        self.stablehlo = import_module("jaxlib.mlir.dialects.stablehlo")
        self.func = import_module("jaxlib.mlir.dialects.func")
        self.context = import_module("jax._src.interpreters.mlir").make_ir_context()
        with self.context:
            self.module = self._parse(code)
            self.functions = {
                self._name(op): op for op in self.module.body.operations if op.operation.name == "func.func"
            }
            self._inline_composites()
            self.sends: list[tuple[int, Foreign]] = []  # channel, type
            self.receives: list[tuple[int, Foreign]] = []
            self._open_host_channels()
            self.results = self._analyse(self.functions["main"])
            self._replace_unknown_operations()

    def _parse(self, code: bytes) -> Foreign:
        try:
            return self.stablehlo.deserialize_portable_artifact(self.context, code)
        except Exception:  # noqa: BLE001 - not a portable artifact; plain bytecode or text then
            return self.ir.Module.parse(code, self.context)

    def _name(self, function: Foreign) -> str:
        return str(self.ir.StringAttr(function.operation.attributes["sym_name"]).value)

    def _walk(self, operation: Foreign) -> Foreign:
        for region in operation.regions:
            for block in region:
                for inner in list(block.operations):
                    yield inner.operation
                    yield from self._walk(inner.operation)

    def _inline_composites(self) -> None:
        """Call the decomposition of a composite: XLA:CPU aborts on some of TorchTPU's composites."""
        for operation in list(self._walk(self.module.operation)):
            if operation.name != "stablehlo.composite":
                continue
            callee = self.ir.FlatSymbolRefAttr(operation.attributes["decomposition"])
            with self.ir.InsertionPoint(operation), self.ir.Location.unknown():
                call = self.func.CallOp([r.type for r in operation.results], callee, list(operation.operands))
            self._replace(operation, list(call.operation.results))

    def _open_host_channels(self) -> None:
        """Turn what the program sends to the host into outputs, and what it receives into arguments.

        Only at the top level of the program: a callback in a loop cannot be called from outside.
        """
        main = self.functions["main"].operation
        block = main.regions[0].blocks[0]
        sent = []
        for operation in [each.operation for each in block.operations]:
            if operation.name == "stablehlo.send":
                sent.append(operation.operands[0])
                self.sends.append((self._channel(operation), operation.operands[0].type))
                self._replace(operation, [operation.operands[-1]])
            elif operation.name == "stablehlo.recv":
                kind = operation.results[0].type
                argument = block.add_argument(kind, self.ir.Location.unknown(self.context))
                self.receives.append((self._channel(operation), kind))
                self._replace(operation, [argument, operation.operands[-1]])
        if self.sends or self.receives:
            self._extend_signature(main, block, sent)

    def _extend_signature(self, main: Foreign, block: Foreign, sent: list[Foreign]) -> None:
        """Return ``sent`` as well, and declare the arguments that were added."""
        last = list(block.operations)[-1].operation
        results = [*last.operands, *sent]
        with self.ir.InsertionPoint(last), self.ir.Location.unknown():
            self.func.ReturnOp(results)
        last.erase()
        kind = self.ir.FunctionType.get([a.type for a in block.arguments], [r.type for r in results])
        main.attributes["function_type"] = self.ir.TypeAttr.get(kind)
        for name, added in (("arg_attrs", len(self.receives)), ("res_attrs", len(sent))):
            if name in main.attributes and added:
                empty = [self.ir.DictAttr.get({})] * added
                main.attributes[name] = self.ir.ArrayAttr.get(
                    [*self.ir.ArrayAttr(main.attributes[name]), *empty]
                )

    def _channel(self, operation: Foreign) -> int:
        found = re.search(r"handle = (\d+)", str(operation.attributes["channel_handle"]))
        return int(found[1]) if found else -1

    def _replace(self, operation: Foreign, values: list[Foreign]) -> None:
        for old, new in zip(operation.results, values, strict=True):
            old.replace_all_uses_with(new)
        operation.erase()

    def _is_unknown(self, operation: Foreign) -> bool:
        """Say whether only a TPU (or the host's callback) can compute this operation."""
        if operation.name in ("stablehlo.recv", "stablehlo.infeed"):
            return True
        if operation.name != "stablehlo.custom_call":
            return False
        return self._target(operation) not in _KEPT_CALLS | _PLACEMENT_CALLS

    def _target(self, operation: Foreign) -> str:
        return str(self.ir.StringAttr(operation.attributes["call_target_name"]).value)

    def _analyse(self, function: Foreign) -> list[Dependencies]:
        """Return, for each result, which arguments it depends on, and _NEVER when it cannot be known."""
        block = function.operation.regions[0].blocks[0]
        known: dict[Foreign, Dependencies] = {
            value: frozenset([i]) for i, value in enumerate(block.arguments)
        }
        for operation in block.operations:
            inner = operation.operation
            if inner.name in ("func.return", "stablehlo.return"):
                return [known[value] for value in inner.operands]
            known.update(zip(inner.results, self._of_operation(inner, known), strict=True))
        return []

    def _of_operation(self, operation: Foreign, known: dict[Foreign, Dependencies]) -> list[Dependencies]:
        operands = [known.get(value, frozenset()) for value in operation.operands]
        if operation.name == "func.call":
            callee = self.functions[self.ir.FlatSymbolRefAttr(operation.attributes["callee"]).value]
            return [self._through(depends, operands) for depends in self._analyse(callee)]
        everything = frozenset().union(*operands)
        if self._is_unknown(operation):
            everything |= {_NEVER}
        for inner in self._walk(operation):
            everything |= self._of_inner(inner, known)
        return [everything] * len(operation.results)

    def _through(self, of_callee: Dependencies, operands: list[Dependencies]) -> Dependencies:
        result: Dependencies = frozenset([_NEVER]) & of_callee
        return result.union(*(operands[i] for i in of_callee if i != _NEVER))

    def _of_inner(self, inner: Foreign, known: dict[Foreign, Dependencies]) -> Dependencies:
        """Return what an operation inside a region adds: values from outside, and unknown operations."""
        captured = frozenset().union(*(known.get(value, frozenset()) for value in inner.operands))
        if self._is_unknown(inner):
            return captured | {_NEVER}
        if inner.name == "func.call":
            callee = self.functions[self.ir.FlatSymbolRefAttr(inner.attributes["callee"]).value]
            return captured | (frozenset([_NEVER]) & frozenset().union(*self._analyse(callee)))
        return captured

    def _replace_unknown_operations(self) -> None:
        for operation in list(self._walk(self.module.operation)):
            if operation.name == "stablehlo.send":
                self._replace(operation, [operation.operands[-1]])
            elif operation.name == "stablehlo.custom_call" and self._target(operation) in _PLACEMENT_CALLS:
                self._replace(operation, [operation.operands[0]])
            elif self._is_unknown(operation):
                with self.ir.InsertionPoint(operation), self.ir.Location.unknown():
                    stand_ins = [self._stand_in(result.type, operation) for result in operation.results]
                self._replace(operation, stand_ins)

    def _stand_in(self, kind: Foreign, operation: Foreign) -> Foreign:
        """Return a NaN (or zero) of this type in place of what an unknown operation computes."""
        if not str(kind).startswith("tensor<"):
            return operation.operands[-1]  # a token: the one that went in comes out
        tensor = self.ir.RankedTensorType(kind)
        element = tensor.element_type
        whole = str(element).lstrip("us").startswith("i")  # i32, ui8, si4
        number = (
            self.ir.IntegerAttr.get(element, 0) if whole else self.ir.FloatAttr.get(element, float("nan"))
        )
        return self.stablehlo.constant(self.ir.DenseElementsAttr.get_splat(tensor, number))


class Program:
    """One program compiled for N devices of the CPU."""

    def __init__(self, header: dict[str, Any], options: bytes, code: bytes) -> None:
        """Analyse and compile. Raises whatever XLA raises."""
        self.jax = import_module("jax")
        client = import_module("jax._src.lib").xla_client
        self.numpy = import_module("numpy")
        module = Module(code)
        self.depends = [None if _NEVER in each else sorted(each) for each in module.results]
        self.sends = [(channel, len(header["outputs"]) + i) for i, (channel, _) in enumerate(module.sends)]
        self.receives = [(channel, *_kind_of(kind)) for channel, kind in module.receives]
        self.outputs = header["outputs"] + [list(_kind_of(kind)) for _, kind in module.sends]
        count = header["replicas"] * header["partitions"]
        self.devices = self.jax.devices("cpu")[:count]
        if len(self.devices) < count:
            raise RuntimeError(f"{count} devices are needed and {len(self.devices)} were started")
        self.executable = self.devices[0].client.compile_and_load(
            module.module,
            executable_devices=client.DeviceList(tuple(self.devices)),
            compile_options=self._options(client, header, options),
        )

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
        for name, added in (("output", len(self.sends)), ("parameters", len(self.receives))):
            flags = list(getattr(build, f"allow_spmd_sharding_propagation_to_{name}"))
            if len(flags) > 1:  # one flag alone stands for all
                setattr(build, f"allow_spmd_sharding_propagation_to_{name}", [*flags, *[False] * added])
        return options

    def run(self, arguments: list[list[Foreign]], blobs: list[bytes]) -> list[bytes]:
        """Execute: ``blobs`` holds the arguments device by device, an empty one standing for unknown."""
        count = len(self.devices)
        arrays = [
            self._array(kind, dims, [blobs[device * len(arguments) + i] for device in range(count)])
            for i, (kind, dims) in enumerate(arguments)
        ]
        results = self.executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
        return [
            self._bytes(results[i][device], i) for device in range(count) for i in range(len(self.outputs))
        ]

    def _array(self, kind: int, dims: list[int], blobs: list[bytes]) -> Foreign:
        dtype = _dtype(self.numpy, kind)
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
        if kind == _TOKEN:
            return b""
        host = self.numpy.asarray(result)
        if list(host.shape) != dims or host.dtype != _dtype(self.numpy, kind):
            raise RuntimeError(f"output {output} is {host.dtype}{list(host.shape)} on the CPU, not {dims}")
        return bytes(self.numpy.ascontiguousarray(host).tobytes())


# MLIR's names of element types, in the order of the numbers above.
_MLIR_NAMES = (
    *("", "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64", "bf16"),
    *("complex<f32>", "complex<f64>", "f8E5M2", "f8E4M3FN", "f8E4M3B11FNUZ", "f8E5M2FNUZ", "f8E4M3FNUZ"),
    *("i4", "ui4", "", "i2", "ui2", "f8E4M3", "f8E3M4", "f8E8M0FNU", "f4E2M1FN"),
)


def _kind_of(kind: Foreign) -> tuple[int, list[int]]:
    """Return the element type's number and the dimensions of ``tensor<2x3xf32>``."""
    found = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", str(kind))
    if found is None:
        raise ValueError(f"{kind} is no array type")
    sizes, element = found[1], found[2]
    return _MLIR_NAMES.index(element), [int(size) for size in sizes.split("x") if size]


def _dtype(numpy: Foreign, kind: int) -> Foreign:
    name = _NUMPY_NAMES[kind]
    types = import_module("ml_dtypes")
    return numpy.dtype(getattr(types, name)) if hasattr(types, name) else numpy.dtype(name)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until the requests end."""
    programs: dict[str, Program] = {}
    while (message := read_message(requests)) is not None:
        header, blobs = message
        try:
            if header["do"] == "prepare":
                program = programs[header["key"]] = Program(header, blobs[0], blobs[1])
                told = {"depends": program.depends, "sends": program.sends, "receives": program.receives}
                write_message(answers, told, [])
            else:
                write_message(answers, {}, programs[header["key"]].run(header["arguments"], blobs))
        except Exception as error:  # noqa: BLE001 - any failure means: this program's values stay unknown
            write_message(answers, {"error": f"{type(error).__name__}: {error}"[:500]}, [])


def main() -> None:
    """Keep the answers' channel for ourselves: libraries print to the standard output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    os.environ.update(
        JAX_PLATFORMS="cpu",
        XLA_FLAGS=f"--xla_force_host_platform_device_count={int(sys.argv[1])}",
        JAX_ENABLE_X64="1",
        TF_CPP_MIN_LOG_LEVEL="3",
    )
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
