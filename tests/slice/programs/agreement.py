"""What frameworks have ranks tell each other so that they agree."""

import jax
import numpy as np
from jax.experimental import multihost_utils

jax.distributed.initialize()
rank = jax.process_index()
multihost_utils.sync_global_devices("begin")
print("from rank 0:", multihost_utils.broadcast_one_to_all(np.int32(rank + 7)), flush=True)
print("gathered:", multihost_utils.process_allgather(np.array([rank, rank * rank])).tolist(), flush=True)
multihost_utils.assert_equal({"shapes": np.array([64, 128])}, "ranks differ")
print("model:", float(jax.numpy.ones((8, 8)).sum()), flush=True)
try:
    multihost_utils.assert_equal(np.array([rank]), "ranks differ")
except AssertionError as error:
    print("noticed:", "differ" in str(error), flush=True)
