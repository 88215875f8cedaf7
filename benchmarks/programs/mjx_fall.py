"""MuJoCo XLA: a ball falls for five steps."""

import jax
import mujoco
from mujoco import mjx

XML = """
<mujoco><worldbody>
  <geom type="plane" size="1 1 .1"/>
  <body pos="0 0 1"><joint type="free"/><geom type="sphere" size=".1"/></body>
</worldbody></mujoco>
"""

model = mjx.put_model(mujoco.MjModel.from_xml_string(XML))
data, step = mjx.make_data(model), jax.jit(mjx.step)
for _ in range(5):
    data = step(model, data)
print("height", round(float(data.qpos[2]), 3))
