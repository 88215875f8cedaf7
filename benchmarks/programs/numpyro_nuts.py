"""NumPyro: a regression by NUTS and by variational inference."""

import jax
import numpy as np
import numpyro
from numpyro import distributions
from numpyro.infer import MCMC, NUTS, SVI, Trace_ELBO, autoguide


def model(x, y=None):
    intercept = numpyro.sample("intercept", distributions.Normal(0, 1))
    slope = numpyro.sample("slope", distributions.Normal(0, 1))
    noise = numpyro.sample("noise", distributions.HalfNormal(1))
    numpyro.sample("y", distributions.Normal(intercept + slope * x, noise), obs=y)


x = np.linspace(-1, 1, 50).astype("float32")
y = (0.5 + 2 * x + 0.1 * np.random.default_rng(0).normal(size=50)).astype("float32")
chain = MCMC(NUTS(model), num_warmup=100, num_samples=100, progress_bar=False)
chain.run(jax.random.key(0), x, y)
drawn = chain.get_samples()
print(
    "intercept", round(float(drawn["intercept"].mean()), 1), "slope", round(float(drawn["slope"].mean()), 1)
)
guide = autoguide.AutoNormal(model)
inference = SVI(model, guide, numpyro.optim.Adam(0.05), Trace_ELBO())
losses = inference.run(jax.random.key(1), 200, x, y, progress_bar=False).losses
print("the bound falls:", float(losses[-1]) < float(losses[0]) / 5)
