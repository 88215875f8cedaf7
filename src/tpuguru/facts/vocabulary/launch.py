"""Facts that every framework's launch has."""

from tpuguru.facts.schema import FactType, Field, Unit

FIELDS = (
    Field("launch.framework", FactType.TEXT, "Framework the launch is of: maxtext, relax, …"),
    Field("launch.entry_point", FactType.TEXT, "Module or script that is run"),
    Field("launch.accelerator", FactType.TEXT, "Chip name in our data: v6e, tpu7x, h20, …"),
    Field("launch.slice", FactType.TEXT, "Slice as the user wrote it: v6e-256, tpu7x:4x4x4"),
    Field("launch.devices", FactType.INTEGER, "Devices over all slices", Unit.DEVICES),
    Field("launch.chips", FactType.INTEGER, "Chips over all slices", Unit.CHIPS),
    Field("launch.hosts", FactType.INTEGER, "Hosts over all slices", Unit.HOSTS),
    Field("launch.slices", FactType.INTEGER, "Number of slices"),
    Field("launch.duplicate_settings", FactType.TEXTS, "Keys written more than once"),
)
