"""Facts of a Relax launch: everything that its text settles."""

from dataclasses import dataclass
from functools import cached_property

from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import Unknown, Value
from tpuguru.frameworks.relax.flags import Flags, NotKnownError
from tpuguru.frameworks.relax.model_sizes import Model, check_model_name, model_of
from tpuguru.frameworks.relax.putting import Putter
from tpuguru.frameworks.relax.recognise import SCRIPT
from tpuguru.frameworks.relax.resources import Resources, resources_of
from tpuguru.frameworks.relax.script_name import ScriptName, read_script_name
from tpuguru.hardware.chips import Chip, chip
from tpuguru.launch.model import Launch

ASSUMED_GPU = "h20"
"""The GPU that is assumed when none is named: the one that most published launches are for."""


@dataclass(frozen=True)
class Subject:
    """What the facts are derived from. Properties raise NotKnownError for what the launch does not settle."""

    launch: Launch
    flags: Flags

    @classmethod
    def of(cls, launch: Launch) -> "Subject":
        """Return the subject of a launch."""
        return cls(launch, Flags(launch.settings))

    @cached_property
    def name(self) -> ScriptName:
        """What the script's file name states."""
        path = self.launch.location.path if self.launch.location else ""
        return read_script_name(self.option(SCRIPT) or path)

    @cached_property
    def resources(self) -> Resources:
        """GPUs by role."""
        return resources_of(self.flags)

    @cached_property
    def model(self) -> Model:
        """The model."""
        return model_of(self.launch, self.flags)

    def option(self, key: str) -> str:
        """Return an option of the command line of tpuguru, empty when it is not given."""
        found = next((setting for setting in self.launch.target if setting.key == key), None)
        return found.text if found is not None and isinstance(found.text, str) else ""

    @cached_property
    def accelerator(self) -> str:
        """Return gpu, npu (Ascend) or klx (Kunlun)."""
        named = self.name.accelerator
        if named in ("npu", "klx"):
            return named
        device = self.flags.known_texts().get("sglang-device", "")
        variables = [setting.key for setting in self.launch.environment]
        if device == "npu" or any(key.startswith(("ASCEND_", "HCCL_")) for key in variables):
            return "npu"
        return "klx" if any(key.startswith(("XMLIR_", "BKCL_")) for key in variables) else "gpu"

    @cached_property
    def device(self) -> Chip | None:
        """The GPU: named by option, else assumed for NVIDIA scripts; None for others. UsageError."""
        named = self.option("gpu")
        if named:
            return chip(named)
        return chip(ASSUMED_GPU) if self.accelerator == "gpu" else None

    @property
    def device_bytes(self) -> int:
        """Memory of one GPU in bytes. NotKnownError."""
        if self.device is None:
            raise NotKnownError(f"the memory of the {self.accelerator} is not known", "--gpu NAME")
        return self.device.hbm_per_device


def derive(launch: Launch) -> Facts:
    """Return every fact that the launch settles. UsageError for a GPU or model name that does not exist."""
    from tpuguru.frameworks.relax.memory_facts import put_memory  # noqa: PLC0415 - see the module's size
    from tpuguru.frameworks.relax.said_facts import put_said  # noqa: PLC0415

    subject = Subject.of(launch)
    if subject.option("model"):
        check_model_name(subject.option("model"))
    facts = Facts()
    facts.set("launch.framework", launch.framework, OriginKind.COMMAND)
    facts.set("launch.entry_point", launch.entry_point, OriginKind.COMMAND)
    duplicates = dict.fromkeys(
        setting.key for setting in launch.settings if setting.overridden_by is not None
    )
    facts.set("launch.duplicate_settings", tuple(duplicates), OriginKind.COMMAND)
    _put_device(facts, subject)
    _put_host(facts, subject)
    put = Putter(facts, subject.flags)
    put_said(put, subject)
    put_memory(put, subject)
    return facts


def _put_device(facts: Facts, subject: Subject) -> None:
    if subject.device is None:
        reason = Unknown(f"the {subject.accelerator} has no data here", "--gpu NAME")
        for name in ("hw.hbm", "hw.chip", "hw.peak_flops_bf16", "hw.ici_bandwidth"):
            facts.put(name, Value(reason, Origin(OriginKind.DERIVED)))
        return
    from tpuguru.hardware.facts import hardware_facts  # noqa: PLC0415 - hardware data is read only when needed

    named = subject.option("gpu")
    option = Origin(OriginKind.OPTION, f"--gpu {named}")
    assumed = Origin(OriginKind.FILLED_IN, "assumed; --gpu names another")
    for name, value in hardware_facts(subject.device, option if named else assumed):
        facts.put(name, value)


def _put_host(facts: Facts, subject: Subject) -> None:
    memory = subject.option("host_memory")
    if not memory:
        unknown = Unknown("the script does not say what memory a node has", "--host-memory SIZE")
        facts.put("hw.host_memory", Value(unknown, Origin(OriginKind.DERIVED)))
        return
    origin = Origin(OriginKind.OPTION, f"--host-memory {memory}")
    facts.put("hw.host_memory", Value(float(memory), origin))
