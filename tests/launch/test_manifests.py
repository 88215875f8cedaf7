"""Kubernetes manifests: commands, environment, placement, and places through YAML's own quoting."""

from hypothesis import given
from hypothesis import strategies as st
from tests.launch.reading import paste_of, place

from tpuguru.frameworks.registry import launches
from tpuguru.launch.source import Source
from tpuguru.launch.yaml_tree import parse_yaml

JOBSET = """apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: demo}
spec:
  replicatedJobs:
    - name: slice
      replicas: 2
      template:
        spec:
          parallelism: 16
          completions: 16
          template:
            spec:
              nodeSelector:
                cloud.google.com/gke-tpu-accelerator: tpu7x
                cloud.google.com/gke-tpu-topology: 4x4x4
              containers:
                - name: jax
                  image: img
                  env:
                    - name: STEPS
                      value: "30"
                  command: [bash, -c]
                  args:
                    - |
                      export LIBTPU_INIT_ARGS='--xla_a=1
                        --xla_b=2'
                      python3 -m MaxText.train c.yml \\
                        model_name=llama3.1-70b \\
                        steps=$(STEPS) run_name=$RUN
                  resources:
                    limits: {google.com/tpu: 4}
"""


def test_jobset_with_a_block_scalar() -> None:
    """Slices, hosts, topology and chips are the target; words keep line and column inside the block."""
    paste = paste_of(JOBSET, path="job.yaml")
    (launch,) = launches(paste)
    assert paste.kind == "kubernetes"
    assert launch.wrappers == ("JobSet", "bash -c")
    assert {setting.key: setting.text for setting in launch.target} == {
        "num_slices": "2",
        "parallelism": "16",
        "completions": "16",
        "gke_tpu_accelerator": "tpu7x",
        "gke_tpu_topology": "4x4x4",
        "tpu_per_pod": "4",
    }
    assert place(launch, "model_name") == "29:25"
    steps = launch.setting("steps")
    assert steps is not None
    assert (steps.text, str(steps.location)) == ("30", "job.yaml:30:25")
    assert [str(flag.location) for flag in launch.compiler_flags] == ["job.yaml:26:48", "job.yaml:27:25"]


def test_command_in_a_quoted_scalar() -> None:
    """A double-quoted YAML string with escapes keeps its columns."""
    text = 'apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - command: ["sh", "-c", "python3 -m MaxText.train c.yml a=\\"x\\" steps=3"]\n'
    (launch,) = launches(paste_of(text, path="pod.yaml"))
    assert place(launch, "steps") == f"5:{text.splitlines()[4].index('steps') + 1}"


def test_two_containers_of_one_pod_are_one_launch() -> None:
    """A pod per host may run one container per NUMA node with the same command."""
    container = "  - name: {0}\n    command: [python3, -m, MaxText.train, c.yml, steps=3]\n"
    text = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n" + container.format("a") + container.format("b")
    paste = paste_of(text, path="pod.yaml")
    assert len(launches(paste)) == 1
    assert [note.kind for note in paste.notes] == ["same-command"]


def test_manifest_applied_from_a_script() -> None:
    """`kubectl apply -f - <<EOF` with variables of the script."""
    text = (
        "STEPS=7\ncat <<EOF | kubectl apply -f -\napiVersion: v1\nkind: Pod\nspec:\n  containers:\n"
        "  - command: [python3, -m, MaxText.train, c.yml, steps=$STEPS]\nEOF"
    )
    (launch,) = launches(paste_of(text))
    steps = launch.setting("steps")
    assert steps is not None
    assert steps.text == "7"


@given(st.lists(st.text("abc x:#'\"\\é中-", min_size=1, max_size=12), min_size=1, max_size=4))
def test_every_character_of_a_block_scalar_is_found_again(lines: list[str]) -> None:
    """The place of each piece holds exactly the text of the piece."""
    body = [line.strip() or "x" for line in lines]
    source = Source("f.yaml", "k:\n  v: |\n" + "".join(f"    {line}\n" for line in body))
    value = parse_yaml(source)[0].get("k", "v")
    assert value is not None
    traced = value.traced()
    assert traced.text == "".join(f"{line}\n" for line in body)
    for piece in traced.pieces:
        assert source.text[piece.start : piece.end] == piece.text
