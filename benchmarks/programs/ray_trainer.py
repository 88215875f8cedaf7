"""Ray's JaxTrainer as people write it, on a TPU slice of one host or of several: ray_trainer.py TOPOLOGY HOSTS FOLDER.

One host: `ray.init()` finds its TPUs by itself. Several: a Ray cluster of as many raylets on this machine, each of
which is started in the environment that its host would have.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ["RAY_TRAIN_V2_ENABLED"] = "1"

import ray
from ray.cluster_utils import Cluster
from ray.train import Checkpoint, RunConfig, ScalingConfig
from ray.train.v2.jax import JaxTrainer

CPUS_OF_A_HOST = 4
STORE_BYTES = 100 * 2**20


def train(_: dict[str, object]) -> None:
    import jax
    import jax.numpy as jnp
    from jax.sharding import NamedSharding, PartitionSpec

    mesh = jax.make_mesh((jax.device_count(),), ("data",))
    split, whole = (NamedSharding(mesh, spec) for spec in (PartitionSpec("data"), PartitionSpec()))
    rows = 16 * jax.device_count()
    host = jnp.linspace(-1, 1, rows * 128, dtype=jnp.float32).reshape(rows, 128)
    batch = jax.make_array_from_callback((rows, 128), split, lambda index: host[index])
    weights = jax.device_put(jnp.ones((128, 128)) / 128, whole)

    @jax.jit
    def step(weights, batch):
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean((batch @ w - batch) ** 2))(weights)
        return weights - 0.1 * gradient, loss

    for number in range(3):
        weights, loss = step(weights, batch)
        told = {
            "loss": float(loss),
            "devices": jax.device_count(),
            "local": jax.local_device_count(),
            "processes": jax.process_count(),
            "kind": jax.devices()[0].device_kind,
        }
        with tempfile.TemporaryDirectory() as folder:
            last = number == 2 and ray.train.get_context().get_world_rank() == 0
            # Ray keeps the metrics of a report only with a checkpoint: others do not reach result.metrics.
            ray.train.report(told, checkpoint=Checkpoint.from_directory(folder) if last else None)


def start(hosts: int) -> None:
    if hosts == 1:
        # «local»: a cluster that runs on this machine, or left its address behind, is not joined.
        ray.init(
            address="local", num_cpus=CPUS_OF_A_HOST, include_dashboard=False, object_store_memory=STORE_BYTES
        )
        return
    cluster = Cluster()
    for number in range(hosts):
        os.environ["TPU_WORKER_ID"] = os.environ["TPUGURU_SLICE_PROCESS"] = str(number)
        os.environ["TPU_WORKER_HOSTNAMES"] = ",".join(["localhost"] * hosts)
        cluster.add_node(num_cpus=CPUS_OF_A_HOST, object_store_memory=STORE_BYTES, include_dashboard=False)
    ray.init(address=cluster.address)


def main(topology: str, hosts: int, folder: Path) -> None:
    start(hosts)
    print(
        json.dumps({"resources": {k: v for k, v in ray.cluster_resources().items() if "TPU" in k}}),
        flush=True,
    )
    trainer = JaxTrainer(
        train_loop_per_worker=train,
        train_loop_config={},
        scaling_config=ScalingConfig(
            num_workers=hosts, use_tpu=True, topology=topology, accelerator_type="TPU-V6E"
        ),
        run_config=RunConfig(name="rehearsal", storage_path=str(folder)),
    )
    result = trainer.fit()
    print(json.dumps({"metrics": result.metrics, "error": str(result.error or "")}), flush=True)
    ray.shutdown()


main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
