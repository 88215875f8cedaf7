"""MaxText's pre-training step: resolve its configuration, lower it, compile it, each with MaxText's own code.

Operations (requests): ``load``, ``resolve``, ``lower``, ``compile``. A request carries the launch as
MaxText takes it: ``config_name`` or ``config_text`` (YAML), ``overrides`` (``key=value`` words), ``omit``
(keys to leave out of both).
"""

from maxtext_train import operations

OPERATIONS = {
    "load": operations.load,
    "resolve": operations.resolve,
    "lower": operations.lower,
    "compile": operations.compile_step,
}
