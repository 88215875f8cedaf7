"""Commands inside other commands: each wrapper is taken off and every word keeps its place."""

from pathlib import Path

import pytest
from tests.launch.reading import commands_of, launch_of, note_kinds, paste_of, place, text_of, words_of

from tpuguru.facts.value import Unknown

TRAIN = "python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml"


def test_docker_run_with_a_shell_inside() -> None:
    """Options, image, `bash -c "…"`; places point into the string."""
    text = (
        "docker run -it --rm --gpus all -e LIBTPU_INIT_ARGS='--xla_a=1 --xla_b' --shm-size=16g img:1 \\\n"
        f'  bash -lc "cd /app && {TRAIN} model_name=\\"llama3.1-8b\\" steps=3"'
    )
    launch = launch_of(text)
    assert launch.wrappers == ("docker run img:1", "bash -c")
    assert {setting.key: setting.text for setting in launch.target} == {"gpus": "all"}
    assert [(flag.key, flag.text) for flag in launch.compiler_flags] == [
        ("--xla_a", "1"),
        ("--xla_b", "true"),
    ]
    line = text.splitlines()[1]
    assert place(launch, "model_name") == f"2:{line.index('model_name') + 1}"
    assert place(launch, "steps") == f"2:{line.index('steps') + 1}"
    assert launch.compiler_flags[1].location is not None
    assert launch.compiler_flags[1].location.column == text.index("--xla_b") + 1


def test_docker_passes_on_a_variable_by_name() -> None:
    """`-e NAME` hands over the script's own value; nothing else of the script leaks in."""
    (command,) = commands_of("export A=1\nexport B=2\ndocker run -e A --env-file f img train --x")
    assert {setting.key: setting.text for setting in command.environment} == {"A": "1"}


def test_docker_entrypoint_and_exec() -> None:
    """`--entrypoint bash IMAGE -c …` and `docker exec`."""
    assert words_of("docker run --entrypoint bash img -c 'train --x 1'") == ["--x", "1"]
    assert words_of("podman exec -it box train --x 1") == ["--x", "1"]


def test_xpk_command_and_target() -> None:
    """xpk's own options are the target; the command is read at its place."""
    text = (
        "FLAGS='--xla_tpu_scoped_vmem_limit_kib=98304'\n"
        "python3 ~/xpk/xpk.py workload create --cluster c --tpu-type=v6e-256 --num-slices 2 \\\n"
        f"  --command \"export LIBTPU_INIT_ARGS='${{FLAGS}}' && {TRAIN} steps=5 steps=6\""
    )
    launch = launch_of(text)
    assert launch.wrappers == ("xpk workload create",)
    assert {setting.key: setting.text for setting in launch.target} == {
        "cluster": "c",
        "device_type": "v6e-256",
        "num_slices": "2",
    }
    line = text.splitlines()[2]
    assert place(launch, "steps") == f"3:{line.index('steps=6') + 1}"
    assert launch.settings[0].overridden_by == launch.settings[1].location
    (flag,) = launch.compiler_flags
    assert (flag.key, flag.text, flag.via) == ("--xla_tpu_scoped_vmem_limit_kib", "98304", "LIBTPU_INIT_ARGS")
    assert str(flag.location) == "run.sh:1:8"


def test_xpk_from_a_single_pasted_command() -> None:
    """The pasted command needs no script around it."""
    paste = paste_of(f"xpk workload create --device-type=tpu7x-4x4x4 --command='{TRAIN} steps=1'")
    assert paste.kind == "command"
    assert paste.commands[0].target[0].raw == "--device-type=tpu7x-4x4x4"


@pytest.mark.parametrize(
    ("text", "wrapper"),
    [
        ("gcloud compute tpus tpu-vm ssh n --worker=all --command='train --x 1'", "gcloud … ssh"),
        ("ssh -p 22 -o A=b host 'cd d && train --x 1'", "ssh"),
        ("ssh host train --x 1", "ssh"),
        ("kubectl exec -it pod -c box -- train --x 1", "kubectl"),
        ("python3 multihost_runner.py --TPU_PREFIX=p --COMMAND='train --x 1'", "multihost_runner.py"),
        ("srun -N4 -n 8 --container-image=i train --x 1", "srun"),
        ("mpirun -np 8 --allow-run-as-root -x A train --x 1", "mpirun"),
        ("conda run -n env --no-capture-output train --x 1", "conda run"),
        ('eval "train --x 1"', None),
        ("bash <<'EOF'\ntrain --x 1\nEOF", "bash"),
        ("cat <<EOF | bash\ntrain --x 1\nEOF", "bash"),
        ("( cd x; train --x 1 )", None),
        ("OUT=$(train --x 1)", None),
        ("time train --x 1 &", "time"),
        ("if ! train --x 1; then exit 1; fi", None),
    ],
)
def test_other_ways_to_start(text: str, wrapper: str | None) -> None:
    """Remote shells, schedulers, heredocs, substitutions: the command is found with its words."""
    (command,) = commands_of(text)
    assert text_of(command) == ["train", "--x", "1"]
    assert command.wrappers == ((wrapper,) if wrapper else ())


def test_a_script_that_runs_another_script(tmp_path: Path) -> None:
    """`bash other.sh args` is followed like a source, in a process of its own."""
    (tmp_path / "inner.sh").write_text('X=inner\ntrain --n "$1" --env $GIVEN "$X"\n')
    paste = paste_of("export GIVEN=g\nX=outer\nbash ./inner.sh 7\ntrain $X", folder=tmp_path)
    first, second = paste.commands
    assert text_of(first) == ["train", "--n", "7", "--env", "g", "inner"]
    assert str(first.words[1].location) == "inner.sh:2:7"
    assert text_of(second) == ["train", "outer"]


def test_a_script_that_writes_the_script_it_runs() -> None:
    """`cat > f <<EOF` and `bash f`, as remote launchers do."""
    paste = paste_of(
        "N=3\ncat > go.sh <<EOF\ntrain --n $N --dir \\$HOME\nEOF\nbash go.sh", folder=Path("/nonexistent")
    )
    (command,) = [command for command in paste.commands if text_of(command)[0] == "train"]
    assert text_of(command) == ["train", "--n", "3", "--dir", "?"]


def test_nothing_outside_the_project_is_opened(tmp_path: Path) -> None:
    """A paste cannot make us read a file elsewhere, through `..` or a link."""
    project = tmp_path / "a" / "b" / "c" / "d" / "e"
    project.mkdir(parents=True)
    (tmp_path / "secret.sh").write_text("S=leaked\n")
    (project / "link.sh").symlink_to(tmp_path / "secret.sh")
    text = f"source ../../../../../secret.sh\nsource ./link.sh\nsource {tmp_path}/secret.sh\ntrain --s ${{S:-safe}}"
    paste = paste_of(text, folder=project)
    assert text_of(paste.commands[0]) == ["train", "--s", "safe"]
    assert len([note for note in paste.notes if note.kind == "source-file-missing"]) == 3


def test_without_a_folder_no_file_is_opened(tmp_path: Path) -> None:
    """A paste from nowhere reads nothing."""
    (tmp_path / "m.sh").write_text("S=leaked\n")
    paste = paste_of(f"source {tmp_path}/m.sh\ntrain --s ${{S:-safe}}")
    assert text_of(paste.commands[0]) == ["train", "--s", "safe"]
    assert "source-file-missing" in note_kinds(paste)


def test_published_flag_groups_are_filled_in_and_marked() -> None:
    """A recipe's group name stands for its published flags, unless the script defines it."""
    text = (
        f'export LIBTPU_INIT_ARGS="${{DENSE_VMEM_LIMIT_FLAG}} HOST_OFFLOAD_FLAGS --xla_x=1"\n{TRAIN} steps=1'
    )
    launch = launch_of(text)
    flags = {flag.key: (flag.text, flag.source.value) for flag in launch.compiler_flags}
    assert flags["--xla_tpu_scoped_vmem_limit_kib"] == ("98304", "filled in")
    assert flags["--xla_tpu_host_transfer_overlap_limit"] == ("24", "filled in")
    assert flags["--xla_x"] == ("1", "environment")
    own = launch_of("DENSE_VMEM_LIMIT_FLAG=--xla_own=1\n" + text)
    assert ("--xla_own", "1") in [(flag.key, flag.text) for flag in own.compiler_flags]
    assert "--xla_tpu_scoped_vmem_limit_kib" not in [flag.key for flag in own.compiler_flags]


def test_flags_given_twice_and_through_a_setting() -> None:
    """Within a variable the last one wins; `compile_xla_flags` is split as well."""
    launch = launch_of(
        f"LIBTPU_INIT_ARGS='--xla_a=1 --xla_a=2' {TRAIN} compile_xla_flags=\"--xla_b=3 --xla_c=$(date)\""
    )
    first, second, third, fourth = launch.compiler_flags
    assert first.overridden_by == second.location
    assert (third.key, third.text, third.via) == ("--xla_b", "3", "compile_xla_flags")
    assert fourth.key == "--xla_c"
    assert isinstance(fourth.text, Unknown)


def test_given_values_are_marked_as_filled_in() -> None:
    """What the user of tpuguru adds never looks like the paste's own."""
    text = f"{TRAIN} base_output_directory=$OUT/x run_name=a"
    settings = {setting.key: setting for setting in launch_of(text, OUT="gs://b").settings}
    assert (settings["base_output_directory"].text, settings["base_output_directory"].source.value) == (
        "gs://b/x",
        "filled in",
    )
    assert settings["run_name"].source.value == "command"
    unknown = {setting.key: setting for setting in launch_of(text).settings}["base_output_directory"]
    assert isinstance(unknown.text, Unknown)
