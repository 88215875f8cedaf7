"""Launches that were published with measured figures; the settings are in ``data/published_launches.yaml``."""

from dataclasses import dataclass
from pathlib import Path

import yaml


@dataclass(frozen=True, slots=True)
class Published:
    """A launch: topology and number of slices, compiler flags, ``key=value`` words."""

    topology: str
    slices: int
    keys: str
    flags: str = ""
    refused: bool = False

    @property
    def script(self) -> str:
        """Return the launch as a script."""
        words = [*self.keys.split(), f"compile_topology={self.topology}"]
        words.append(f"compile_topology_num_slices={self.slices}")
        lines = " \\\n  ".join(words)
        return (
            f'#!/bin/bash\nexport LIBTPU_INIT_ARGS="{self.flags}"\n'
            f"python3 -m maxtext.trainers.pre_train.train_compile maxtext/configs/base.yml \\\n  {lines}\n"
        )


def published() -> dict[str, Published]:
    """Return every published launch by name."""
    text = Path(__file__).with_name("data").joinpath("published_launches.yaml").read_text(encoding="utf-8")
    return {name: Published(**values) for name, values in yaml.safe_load(text).items()}
