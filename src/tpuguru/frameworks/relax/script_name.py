"""What the file name of a script states: ``run-<model>-<size>-<N>xgpu(-async|-image|-video)``."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

_DEVICES = re.compile(r"(?<![a-z0-9])(\d{1,5})x?(gpu|npu|klx|xpu)s?(?![a-z])", re.IGNORECASE)
_SIZE = re.compile(r"(?<![\w.])(\d{1,4}(?:\.\d{1,2})?)([BM])(?![a-z])", re.IGNORECASE)
_PREFIX = re.compile(r"^run[-_]", re.IGNORECASE)
_SIZE_END = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d{1,2})?[BM](?:-A\d{1,3}(?:\.\d)?B)?(?![a-z])", re.IGNORECASE)
_VIDEO = re.compile(r"(?<![a-z])video(?![a-z])", re.IGNORECASE)
_IMAGE = re.compile(
    r"(?<![a-z])(?:image|vl|omni|openr1mm|geo3k|pokemon|multimodal|mm)(?![a-z])", re.IGNORECASE
)
_ASYNC = re.compile(r"(?<![a-z])async(?![a-z])", re.IGNORECASE)
_DEBUG = re.compile(r"(?<![a-z])(?:debug|smoke)(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ScriptName:
    """The parts of a file name; ``gpus`` and ``parameters`` are None when it does not state them."""

    stem: str
    model: str
    gpus: int | None
    accelerator: str
    parameters: float | None
    modality: str
    is_async: bool
    is_debug: bool


def read_script_name(path: str) -> ScriptName:
    """Read a path's file name. Nothing in it is trusted: it is compared with what the flags say."""
    stem = PurePosixPath(path.replace("\\", "/")).stem
    devices = _DEVICES.search(stem)
    size = _SIZE.search(stem)
    return ScriptName(
        stem=stem,
        model=_model(stem),
        gpus=int(devices[1]) if devices else None,
        accelerator={"npu": "npu", "klx": "klx", "xpu": "klx"}.get(devices[2].lower(), "gpu")
        if devices
        else "",
        parameters=float(size[1]) * (1e9 if size[2].upper() == "B" else 1e6) if size else None,
        modality="video" if _VIDEO.search(stem) else "mm" if _IMAGE.search(stem) else "text",
        is_async=bool(_ASYNC.search(stem)),
        is_debug=bool(_DEBUG.search(stem)),
    )


def _model(stem: str) -> str:
    """Return the model's part of the name: up to its size, else up to the device count."""
    name = _PREFIX.sub("", stem)
    size = _SIZE_END.search(name)
    if size:
        return name[: size.end()]
    devices = _DEVICES.search(name)
    return name[: devices.start()].rstrip("-_") if devices else name
