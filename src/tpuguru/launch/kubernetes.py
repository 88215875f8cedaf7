"""Kubernetes manifests: the containers' commands, their environment and what they are placed on."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tpuguru.base.errors import UsageError
from tpuguru.launch.context import Context
from tpuguru.launch.model import Setting, SettingSource
from tpuguru.launch.source import Piece, Source, Traced
from tpuguru.launch.wrappers.invocation import Exported, Invocation
from tpuguru.launch.wrappers.unwrap import unwrap
from tpuguru.launch.yaml_tree import YamlNode, parse_yaml, walk

_SELECTORS = {
    "cloud.google.com/gke-tpu-accelerator": "gke_tpu_accelerator",
    "cloud.google.com/gke-tpu-topology": "gke_tpu_topology",
    "cloud.google.com/gke-tpu-slice-topology": "gke_tpu_topology",
    "cloud.google.com/gke-accelerator": "gke_accelerator",
    "node.kubernetes.io/instance-type": "machine_type",
    "beta.kubernetes.io/instance-type": "machine_type",
    "nvidia.com/gpu.product": "gpu_product",
}
_RESOURCES = {"google.com/tpu": "tpu_per_pod", "nvidia.com/gpu": "gpu_per_pod"}
_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")


def is_manifest(documents: list[YamlNode]) -> bool:
    """Tell whether the YAML is Kubernetes objects."""
    return any(document.scalar("kind") and document.scalar("apiVersion") for document in documents)


def read_manifest(context: Context, source: Source) -> bool:
    """Follow every container's command; False (with a note) when the text is not YAML."""
    try:
        documents = parse_yaml(source)
    except UsageError as error:
        context.note("syntax-error", error.message, error.location)
        return False
    context.sources.append(source)
    read_documents(context, documents)
    return True


def read_documents(context: Context, documents: list[YamlNode]) -> None:
    """Follow the containers of parsed manifests."""
    for document in documents:
        kind = document.scalar("kind") or "manifest"
        for pod, outer in _pods(document):
            read: set[str] = set()
            for container in _items(pod, "containers"):
                words = " ".join(
                    item.text for name in ("command", "args") for item in _items(container, name)
                )
                if words in read:
                    context.note(
                        "same-command",
                        f"container {container.scalar('name')} runs the same command, in the same launch",
                        container.location(),
                    )
                    continue
                read.add(words)
                _read_container(context, kind, pod, container, outer)


def _items(node: YamlNode, name: str) -> list[YamlNode]:
    found = node.get(name)
    return found.items if found is not None else []


def _pods(document: YamlNode) -> Iterator[tuple[YamlNode, tuple[Setting, ...]]]:
    """Yield each pod specification with what stands around it: replicas (slices), parallelism (hosts)."""
    jobs = [
        node for node in walk(document) if node.kind == "mapping" and node.get("template", "spec") is not None
    ]
    for pod in walk(document):
        if pod.kind != "mapping" or pod.get("containers") is None:
            continue
        around = [job for job in jobs if job.start <= pod.start and pod.end <= job.end]
        yield pod, tuple(setting for job in around for setting in _counts(job))


def _counts(job: YamlNode) -> Iterator[Setting]:
    for name, key in (
        ("replicas", "num_slices"),
        ("parallelism", "parallelism"),
        ("completions", "completions"),
    ):
        for node in (job.get(name), job.get("template", "spec", name) if name != "replicas" else None):
            if node is not None and node.kind == "scalar":
                yield _setting(key, node, f"{name}: {node.text}")
    annotations = job.get("template", "metadata", "annotations")
    for key_node, node in annotations.pairs if annotations is not None else ():
        if key_node.text in _SELECTORS:
            yield _setting(_SELECTORS[key_node.text], node, f"{key_node.text}: {node.text}")


def _setting(key: str, node: YamlNode, raw: str) -> Setting:
    return Setting(key, node.text, SettingSource.FILE, node.location(), raw, trace=node.traced())


def _read_container(
    context: Context, kind: str, pod: YamlNode, container: YamlNode, outer: tuple[Setting, ...]
) -> None:
    environment = tuple(_environment(container))
    words = tuple(
        _referenced(item.traced(), environment)
        for name in ("command", "args")
        for item in _items(container, name)
    )
    if not words:
        return
    target = (*_unique(outer), *_placement(pod, container))
    unwrap(
        Invocation(
            context=context,
            words=words,
            environment=environment,
            target=target,
            wrappers=(kind,),
            location=words[0].site,
        )
    )


def _unique(settings: tuple[Setting, ...]) -> list[Setting]:
    seen: dict[str, Setting] = {}
    for setting in settings:
        seen.setdefault(f"{setting.key}{setting.location}", setting)
    return list(seen.values())


def _placement(pod: YamlNode, container: YamlNode) -> Iterator[Setting]:
    selector = pod.get("nodeSelector")
    for name, node in selector.pairs if selector is not None else ():
        if name.text in _SELECTORS:
            yield _setting(_SELECTORS[name.text], node, f"{name.text}: {node.text}")
    for group in ("limits", "requests"):
        resources = container.get("resources", group)
        found = [
            _setting(_RESOURCES[name.text], node, f"{name.text}: {node.text}")
            for name, node in (resources.pairs if resources is not None else ())
            if name.text in _RESOURCES
        ]
        if found:
            yield from found
            return


def _environment(container: YamlNode) -> Iterator[Exported]:
    for item in _items(container, "env"):
        name, value = item.scalar("name"), item.get("value")
        if name and value is not None and value.kind == "scalar":
            yield Exported(name, value.traced(), value.location())


def _referenced(word: Traced, environment: tuple[Exported, ...]) -> Traced:
    """Replace ``$(NAME)``, as Kubernetes does, by the container's own variables; others stay as written."""
    if not isinstance(word.text, str) or "$(" not in word.text:
        return word
    values = {variable.name: variable.value for variable in environment}
    pieces: list[Piece] = []
    for piece in word.pieces:
        text, position = str(piece.text), 0
        for match in _REFERENCE.finditer(text):
            value = values.get(match.group(1) or "")
            if value is None:
                continue
            if match.start() > position:
                pieces.append(piece.part(position, match.start()))
            pieces.extend(value.pieces)
            position = match.end()
        if position < len(text):
            pieces.append(piece.part(position, len(text)))
    return replace(word, pieces=tuple(pieces), _text=[])
