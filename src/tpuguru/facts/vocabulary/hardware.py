"""Facts about the chip and the slice. Every number says whether it is of a device, a chip or a host."""

from tpuguru.facts.schema import FactType, Field, Unit

FIELDS = (
    Field("hw.chip", FactType.TEXT, "Chip: v6e, tpu7x, h20, … (a file under hardware/)"),
    Field("hw.kind", FactType.TEXT, "Kind of chip", choices=("tpu", "gpu")),
    Field("hw.vendor", FactType.TEXT, "Who makes the chip"),
    Field("hw.device_kind", FactType.TEXT, "What JAX calls a device of it: «TPU v6 lite»"),
    Field("hw.compute_capability", FactType.TEXT, "CUDA compute capability or gfx target of a GPU"),
    Field("hw.hbm", FactType.INTEGER, "Device memory a program may use, per device", Unit.BYTES),
    Field("hw.hbm_per_chip", FactType.INTEGER, "Device memory a program may use, per chip", Unit.BYTES),
    Field("hw.vmem", FactType.INTEGER, "Vector memory (VMEM), per TensorCore", Unit.BYTES),
    Field("hw.smem", FactType.INTEGER, "Scalar memory (SMEM), per TensorCore", Unit.BYTES),
    Field(
        "hw.devices_per_chip", FactType.INTEGER, "Devices a framework sees per chip (tpu7x: 2)", Unit.DEVICES
    ),
    Field("hw.cores_per_chip", FactType.INTEGER, "TensorCores per TPU chip", Unit.CORES),
    Field("hw.sparse_cores_per_chip", FactType.INTEGER, "SparseCores per TPU chip", Unit.CORES),
    Field("hw.chips_per_host", FactType.INTEGER, "Chips per machine", Unit.CHIPS),
    Field("hw.devices_per_host", FactType.INTEGER, "Devices per machine", Unit.DEVICES),
    Field("hw.host_memory", FactType.NUMBER, "Memory of a machine", Unit.BYTES),
    Field("hw.peak_flops_bf16", FactType.NUMBER, "Dense bf16 peak, per device", Unit.FLOPS_PER_SECOND),
    Field("hw.peak_flops_fp8", FactType.NUMBER, "Dense fp8 peak, per device", Unit.FLOPS_PER_SECOND),
    Field("hw.peak_flops_int8", FactType.NUMBER, "Dense int8 peak, per device", Unit.FLOPS_PER_SECOND),
    Field("hw.peak_flops_bf16_per_chip", FactType.NUMBER, "Dense bf16 peak, per chip", Unit.FLOPS_PER_SECOND),
    Field("hw.hbm_bandwidth", FactType.NUMBER, "Memory bandwidth, per device", Unit.BYTES_PER_SECOND),
    Field(
        "hw.ici_bandwidth",
        FactType.NUMBER,
        "ICI or NVLink bandwidth, per chip, both directions together",
        Unit.BYTES_PER_SECOND,
    ),
    Field(
        "hw.dcn_bandwidth", FactType.NUMBER, "Data-centre network bandwidth, per chip", Unit.BYTES_PER_SECOND
    ),
    Field("hw.chips", FactType.INTEGER, "Chips over all slices", Unit.CHIPS),
    Field("hw.devices", FactType.INTEGER, "Devices over all slices", Unit.DEVICES),
    Field("hw.cores", FactType.INTEGER, "TensorCores over all slices", Unit.CORES),
    Field("hw.hosts", FactType.INTEGER, "Machines over all slices", Unit.HOSTS),
    Field("hw.slices", FactType.INTEGER, "Number of slices"),
    Field("hw.chips_per_slice", FactType.INTEGER, "Chips of one slice", Unit.CHIPS),
    Field("hw.devices_per_slice", FactType.INTEGER, "Devices of one slice", Unit.DEVICES),
    Field("hw.topology", FactType.TEXT, "Shape of one slice in chips: 4x4x4"),
    Field("hw.slice_name", FactType.TEXT, "The cloud's name of the slice: tpu7x-128"),
    Field(
        "hw.name_counts",
        FactType.TEXT,
        "What the number in the slice name the user wrote counts",
        choices=("chips", "cores", "devices", "topology"),
    ),
)
