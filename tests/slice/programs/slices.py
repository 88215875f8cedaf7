"""Put this process on one slice after the other and say what JAX sees. Needs tpuguru on PYTHONPATH."""

import json
import sys

import jax
import jax.numpy as jnp
from tpuguru.slice.context import virtual_slice

for name in sys.argv[1:]:
    with virtual_slice(name, values="never") as virtual:
        devices = jax.devices()
        arrays = [jax.device_put(jnp.ones((8, 128)), device) for device in (devices[0], devices[-1])]
        print(
            json.dumps(
                {
                    "slice": name,
                    "count": len(devices),
                    "kind": devices[0].device_kind,
                    "limit": devices[0].memory_stats()["bytes_limit"],
                    "slices": sorted({device.slice_index for device in devices}),
                    "held": [device.memory_stats()["bytes_in_use"] for device in (devices[0], devices[-1])],
                    "records": sum(1 for line in (virtual.records / "index.jsonl").open()),
                }
            ),
            flush=True,
        )
        del arrays
print(
    json.dumps(
        {
            "slice": "",
            "count": len(jax.devices()),
            "kind": jax.devices()[0].platform,
            "sum": float(jnp.arange(4.0).sum()),
        }
    )
)
