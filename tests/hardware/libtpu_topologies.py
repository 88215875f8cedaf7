"""Run inside a toolchain: reads topology arguments as JSON on stdin, prints what libtpu says of each."""

import json
import os
import sys

os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")


def main() -> None:
    """Answer all requests in one process."""
    from jax._src import xla_bridge  # noqa: PLC0415 - only the toolchain has it
    from jax.experimental import topologies  # noqa: PLC0415

    answers = []
    for request in json.load(sys.stdin):
        options = {key: value for key, value in request.items() if key != "platform"}
        options["chips_per_host_bounds"] = tuple(options["chips_per_host_bounds"])
        options["wrap"] = tuple(options["wrap"])
        devices = topologies.get_topology_desc(platform="tpu", **options).devices
        name = options.pop("topology_name")
        limit = xla_bridge.make_pjrt_tpu_topology(name, **options).device_memory_bytes_limit
        answers.append(
            {
                "devices": len(devices),
                "chips": len({(getattr(device, "slice_index", 0), *device.coords) for device in devices}),
                "hosts": len({device.process_index for device in devices}),
                "device_kind": devices[0].device_kind,
                "cores_per_device": devices[0].num_cores,
                "memory": limit,
            }
        )
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
