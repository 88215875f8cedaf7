"""The forty constructs that published launch scripts use, one test each, in the order of the study."""

from pathlib import Path

import pytest
from tests.launch.reading import commands_of, note_kinds, paste_of, text_of, words_of

from tpuguru.facts.value import Unknown
from tpuguru.launch.arguments import Nargs, read_flags
from tpuguru.launch.comments import tie_comments


def test_01_array_with_one_flag_per_line() -> None:
    """An array is the usual home of a group of flags."""
    assert words_of('A=(\n  --tp 2\n  --sp\n)\ntrain "${A[@]}"') == ["--tp", "2", "--sp"]


def test_02_whole_line_comment_in_an_array_is_no_setting_but_explains_the_next() -> None:
    """A switched-off flag must not count, and its text belongs to what follows."""
    paste = paste_of('A=(\n  # --tp 4 was slower\n  --tp 2\n)\ntrain "${A[@]}"')
    settings = read_flags(paste.commands[0].words[1:], {"tp": Nargs.ONE}).settings
    (comment,) = tie_comments(paste.comments, settings)
    assert [setting.text for setting in settings] == ["2"]
    assert comment.text == "# --tp 4 was slower"
    assert comment.covers == (settings[0].location,)


def test_03_trailing_comment_is_stripped_and_kept_as_explanation() -> None:
    """`--mbs 1 # keep small` says why."""
    paste = paste_of('A=(\n  --mbs 1 # keep small\n  --lr 2\n)\ntrain "${A[@]}"')
    settings = read_flags(paste.commands[0].words[1:]).settings
    (comment,) = tie_comments(paste.comments, settings)
    assert [setting.raw for setting in settings] == ["--mbs 1", "--lr 2"]
    assert comment.covers == (settings[0].location,)


def test_04_comment_without_a_space() -> None:
    """`#--mbs 16` is a comment, not a value."""
    assert words_of('A=(\n  #--mbs 16\n  --lr 1\n)\ntrain "${A[@]}"') == ["--lr", "1"]


@pytest.mark.parametrize("definition", ["E=(\n# --x\n)", "E=()", ""])
def test_05_commented_empty_or_undefined_array_expands_to_no_word(definition: str) -> None:
    """Bash without `set -u` makes nothing of it."""
    assert words_of(f'{definition}\ntrain "${{E[@]}}" --last') == ["--last"]


def test_06_append_in_a_branch_that_the_paste_does_not_settle() -> None:
    """`+=` under `if [ -n "$V" ]` counts only when V is given; otherwise it is noted."""
    text = 'P=(--tp 2)\nif [ -n "$V" ]; then P+=( --cp 2 ); fi\ntrain "${P[@]}"'
    assert words_of(text) == ["--tp", "2"]
    assert "assumed-branch" in note_kinds(paste_of(text))
    assert words_of(text, V="1") == ["--tp", "2", "--cp", "2"]


def test_07_later_duplicate_wins_in_command_order_not_file_order() -> None:
    """The array defined first may come last on the command line."""
    text = 'A=(--tp 1)\nB=(--tp 2)\ntrain "${B[@]}" --tp 3 "${A[@]}"'
    settings = read_flags(commands_of(text)[0].words[1:], {"tp": Nargs.ONE}).settings
    assert [setting.text for setting in settings] == ["2", "3", "1"]
    assert [setting.overridden_by is None for setting in settings] == [False, False, True]
    assert settings[0].overridden_by == settings[2].location


def test_08_default_when_unset_or_empty() -> None:
    """`${N:-8}`."""
    assert words_of("train --n ${N:-8}\n") == ["--n", "8"]
    assert words_of("N=\ntrain --n ${N:-8} ${N-7}x\n") == ["--n", "8", "x"]
    assert words_of("N=3\ntrain --n ${N:-8}\n") == ["--n", "3"]


def test_09_assigning_default() -> None:
    """`${DIR:=/data}` sets DIR for what follows."""
    assert words_of('X="${DIR:=/data}/x"\ntrain $X $DIR') == ["/data/x", "/data"]
    assert words_of(': "${DIR:=/data}"\ntrain $DIR') == ["/data"]


def test_10_required_from_the_environment_is_unknown() -> None:
    """`${KEY:?need key}` cannot be guessed."""
    (command,) = commands_of("train --key ${KEY:?need key}")
    assert isinstance(command.words[2].text, Unknown)
    assert command.words[2].text.needs == "the value of KEY"


def test_11_flag_only_when_set() -> None:
    """`${W:+--no-wait}`."""
    text = 'train ${W:+--no-wait} ${W:+--dir "$W x"} --x'
    assert words_of(text) == ["--x"]
    assert words_of(text, W="a") == ["--no-wait", "--dir", "a x", "--x"]


def test_12_nested_default() -> None:
    """`${A:-http://${B:-h}:1}`."""
    assert words_of("train ${A:-http://${B:-h}:1}") == ["http://h:1"]
    assert words_of("train ${A:-${B:-${C:-deep}}}", B="b") == ["b"]


def test_13_pattern_operators() -> None:
    """`${V//a/b}` and its relatives compute a name from another."""
    text = "M=org/Model-4B\ntrain ${M//\\//-} ${M##*/} ${M%-*} ${M#*/} ${M/4B/8B} ${M,,} ${M:4:5} ${#M}"
    found = "org-Model-4B Model-4B org/Model Model-4B org/Model-8B org/model-4b Model 12"
    assert words_of(text) == found.split()


def test_14_arithmetic() -> None:
    """`$(( … ))`, with and without `$` inside."""
    text = "A=4\nB=3\ntrain --buf $(( 2 * 1024 )) $((A*B)) $(($A*$B)) $(( A > B ? A ** 2 : 0 )) $((A/B)) $((-7/2))"
    assert words_of(text) == ["--buf", "2048", "12", "12", "16", "1", "-3"]


def test_15_seq_expands_to_many_values() -> None:
    """`$(seq 8 8 32)` is computed, since it is safe to."""
    assert words_of("train --bs 1 2 $(seq 8 8 32)") == ["--bs", "1", "2", "8", "16", "24", "32"]
    assert words_of('train "$(seq -s, 3)"') == ["1,2,3"]


@pytest.mark.parametrize(
    "command",
    ["$(date +%s)", "$(python3 -c 'print(1)')", '$(echo "$J" | jq .a)', "`hostname`", "$(cat /etc/hostname)"],
)
def test_16_other_substitutions_are_never_run(command: str) -> None:
    """What only running would tell is unknown and says so."""
    (found,) = commands_of(f"train run={command}")
    (_, word) = found.words
    assert isinstance(word.text, Unknown)
    assert "never run" in word.text.reason


def test_16b_known_substitutions_are_computed(tmp_path: Path) -> None:
    """The script's own folder and a joined array follow from the paste."""
    text = (
        'D="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"\n'
        'a=(1 2 3)\nJ="$(IFS=,; echo "${a[*]}")"\ntrain "$D/x" "$J" "$(basename /a/b.sh .sh)"'
    )
    paste = paste_of(text, folder=tmp_path, path="scripts/run.sh")
    assert text_of(paste.commands[0]) == ["train", "scripts/x", "1,2,3", "b"]


def test_17_multi_line_python_in_a_substitution() -> None:
    """Quotes span lines and hold braces and quotes; what follows is still read."""
    text = 'V=$(python3 -c \'\nimport json\nd = {"a": [1, 2]}\nprint(d)\n\')\ntrain --v "$V" --x 1'
    assert words_of(text) == ["--v", "?", "--x", "1"]


def test_18_loop_that_builds_a_list() -> None:
    """A model config computes its layer pattern; the loop is followed."""
    text = (
        "L=6\nk=2\nfor ((i=0;i<L;i++)); do if ((i<k)); then a+=(0); else a+=(1); fi; done\n"
        'printf -v F "[%s]" "$(IFS=\', \'; echo "${a[*]}")"\ntrain --freq "$F"'
    )
    assert words_of(text) == ["--freq", "[0,0,1,1,1,1]"]


def test_19_unquoted_frequency_expression() -> None:
    """`[0]*3+[1]*58` is one word, left to the framework."""
    assert words_of("N=3\nA=(--freq [0]*$N+[1]*58 --x)\ntrain ${A[@]}") == ["--freq", "[0]*3+[1]*58", "--x"]


def test_20_json_in_single_quotes_glued_to_a_backslash() -> None:
    """`'…}'\\` at the end of a line."""
    text = "train --resource '{\"actor\": [1, 8]}'\\\n  --colocate"
    assert words_of(text) == ["--resource", '{"actor": [1, 8]}', "--colocate"]


def test_21_quote_splice() -> None:
    """Three pieces make one JSON text."""
    text = "N=8\ntrain --resource '{\"actor\": [1, '\"${N}\"']}'"
    assert words_of(text) == ["--resource", '{"actor": [1, 8]}']


def test_22_line_continuation() -> None:
    """With and without a blank before the backslash."""
    assert words_of("train --a 1 \\\n  --b 2\\\n  --c") == ["--a", "1", "--b", "2", "--c"]


def test_23_stray_backslash_in_an_array_and_at_the_end_of_a_command() -> None:
    """In an array it is harmless; before a blank line it ends the command."""
    assert words_of('A=(\n  --x 1 \\\n\n)\ntrain "${A[@]}"') == ["--x", "1"]
    assert words_of("train --a 1 \\\n\n--b 2\n") == ["--a", "1"]


def test_24_flag_with_several_values() -> None:
    """`--stop "</a>" "x y"` keeps its values apart."""
    (command,) = commands_of('train --eval-data n1 p1 --stop "</a>" "x y" --lr 1')
    settings = read_flags(
        command.words[1:], {"stop": Nargs.MANY, "eval-data": Nargs.MANY, "lr": Nargs.ONE}
    ).settings
    assert [setting.values for setting in settings] == [("n1", "p1"), ("</a>", "x y"), ("1",)]


def test_25_switch_with_a_stray_value() -> None:
    """`--grouped-gemm true`: the word is left over, and readers can report it."""
    (command,) = commands_of("train --grouped-gemm true --lr 1")
    arguments = read_flags(command.words[1:], {"grouped-gemm": Nargs.NONE, "lr": Nargs.ONE})
    assert [setting.text for setting in arguments.settings] == ["", "1"]
    assert [word.text for word in arguments.positionals] == ["true"]


def test_26_flag_equals_value() -> None:
    """`--address="http://…"`."""
    (command,) = commands_of('train --address="http://x:1" --lr=2')
    settings = read_flags(command.words[1:]).settings
    assert [(setting.key, setting.text) for setting in settings] == [("address", "http://x:1"), ("lr", "2")]


def test_27_mode_switch_gives_two_variants() -> None:
    """Two launches with different resources are both reported."""
    text = (
        "MODE=${1:-sync}\nif [ ${MODE} = async ]; then\n  train --fully-async\nelse\n  train --colocate\nfi\n"
    )
    found = commands_of(text)
    assert [(text_of(command)[1], command.variant) for command in found] == [
        ("--colocate", "MODE=sync"),
        ("--fully-async", "MODE=async"),
    ]


def test_27b_case_switch_with_usage_in_the_default() -> None:
    """With no default, only the variants launch anything."""
    text = "case ${MODE} in\n a) train --a ;;\n b|c) train --b ;;\n *) echo usage; exit 1 ;;\nesac"
    assert [(text_of(command)[1], command.variant) for command in commands_of(text)] == [
        ("--a", "MODE=a"),
        ("--b", "MODE=b"),
    ]


def test_28_positional_passthrough_is_noted() -> None:
    """`"$@"` may add flags that nobody pasted."""
    paste = paste_of('train --x 1 "$@"')
    assert text_of(paste.commands[0]) == ["train", "--x", "1"]
    assert "extra-arguments" in note_kinds(paste)


def test_29_source_chain_keeps_places_and_degrades(tmp_path: Path) -> None:
    """Paths through variables resolve; a missing file is noted, not fatal."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.sh").write_text(
        'source "$(dirname "${BASH_SOURCE[0]}")/base.sh"\nM=(\n  --layers 2\n)\n'
    )
    (tmp_path / "models" / "base.sh").write_text("B=7\n")
    text = 'D=models\n# source "$D/old.sh"\nsource "$D/m.sh"\n. ./gone.sh\ntrain "${M[@]}" --b $B'
    paste = paste_of(text, folder=tmp_path)
    assert text_of(paste.commands[0]) == ["train", "--layers", "2", "--b", "7"]
    assert str(paste.commands[0].words[1].location) == "models/m.sh:3:3"
    assert [note.message for note in paste.notes] == [
        "the sourced file gone.sh is not here: what it sets is unknown"
    ]


def test_29b_model_config_dir_follows_from_the_layout(tmp_path: Path) -> None:
    """Without entrypoint/local.sh the folder of model configs is still known."""
    (tmp_path / "models").mkdir()
    (tmp_path / "training").mkdir()
    (tmp_path / "models" / "m.sh").write_text("MODEL_ARGS=(--num-layers 36)\n")
    text = (
        'SCRIPT_DIR="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" &>/dev/null && pwd)"\n'
        'if [ -z "${RELAX_ENTRYPOINT_MODE:-}" ]; then source "${SCRIPT_DIR}/../entrypoint/local.sh"; fi\n'
        'source "${MODEL_CONFIG_DIR}/m.sh"\ntrain "${MODEL_ARGS[@]}"'
    )
    paste = paste_of(text, folder=tmp_path, path="training/run.sh")
    assert text_of(paste.commands[0]) == ["train", "--num-layers", "36"]
    assert {"source-file-missing", "filled-in"} <= note_kinds(paste)


def test_30_export_and_unset_reach_the_environment() -> None:
    """Rules about NCCL and proxies read the environment where the command stands."""
    text = "export NCCL_X=1\nexport http_proxy=p\nunset http_proxy\nLATE=1\nPRE=2 train\nexport AFTER=1"
    (command,) = commands_of(text)
    assert {setting.key: setting.text for setting in command.environment} == {"NCCL_X": "1", "PRE": "2"}
    assert str(command.environment[0].location) == "run.sh:1:8"


def test_31_environment_inside_json() -> None:
    """Ray's runtime environment is environment too, with places inside the JSON."""
    text = (
        'RUNTIME_ENV_JSON=\'{"env_vars": {"NCCL_K": "1"}}\'\n'
        'ray job submit --runtime-env-json="${RUNTIME_ENV_JSON}" -- train --x'
    )
    (command,) = commands_of(text)
    (setting,) = command.environment
    assert (setting.key, setting.text) == ("NCCL_K", "1")
    assert str(setting.location) == "run.sh:1:44"


def test_31b_environment_in_escaped_json_with_unknown_parts() -> None:
    """One unknown value does not hide the others."""
    text = (
        'export J="{\\"env_vars\\": {\\"A\\": \\"$(uname)\\", \\"B\\": \\"2\\"}}"\n'
        'ray job submit --runtime-env-json="$J" -- train'
    )
    (command,) = commands_of(text)
    found = {setting.key: setting.text for setting in command.environment}
    assert found["B"] == "2"
    assert isinstance(found["A"], Unknown)


def test_32_prefix_commands_are_seen_through() -> None:
    """`stdbuf -oL ray job submit …` and friends."""
    text = "stdbuf -oL nohup env X=1 timeout -k 5 100 sudo -E ray job submit --no-wait -- train --x 1"
    (command,) = commands_of(text)
    assert command.wrappers == ("stdbuf", "nohup", "env", "timeout", "sudo", "ray job submit")
    assert [setting.key for setting in command.environment] == ["X"]


@pytest.mark.parametrize(
    "start",
    [
        "python3 -m relax.entrypoints.train",
        "python -u -m relax.entrypoints.train",
        "python3 ${SCRIPT_DIR}/../../../relax/entrypoints/train.py",
    ],
)
def test_33_train_spellings_arrive_as_the_command(start: str) -> None:
    """Whatever follows `--` is the command, words in order."""
    (command,) = paste_of(f"SCRIPT_DIR=a/b/c/d\nray job submit --address=http://x -- {start} --lr 1").commands
    assert text_of(command)[-2:] == ["--lr", "1"]
    assert text_of(command)[0].startswith("python")
    assert command.wrappers == ("ray job submit",)


def test_34_flags_inline_without_arrays() -> None:
    """Everything after `--`, split by the shell alone."""
    text = "ray job submit --no-wait \\\n -- train \\\n --lr 1 --mode 'a b'"
    assert words_of(text) == ["--lr", "1", "--mode", "a b"]


@pytest.mark.parametrize(
    ("test", "taken"),
    [
        ('[ "$A" = "yes" ]', True),
        ('[[ "$A" == y* ]]', True),
        ('[[ "$A" == n* || $N -gt 3 ]]', True),
        ("(( N > 8 ))", False),
        ('[ "$A" != yes -o $N -lt 2 ]', False),
        ("! [ -z $A ]", True),
        ("test $N -eq 4", True),
        ("[[ $A =~ ^y.s$ ]]", True),
        ("[[ -v A && ! -v Z ]]", True),
    ],
)
def test_35_tests_on_known_values(test: str, taken: bool) -> None:
    """Each kind of test is evaluated as bash does."""
    expected = ["--yes"] if taken else ["--no"]
    assert words_of(f"A=yes\nN=4\nif {test}; then X=--yes; else X=--no; fi\ntrain $X") == expected


def test_35b_test_on_the_environment_takes_the_default_and_reports_the_other() -> None:
    """`[ -n "$PROFILE" ]` with nothing given: false, and said so."""
    text = 'if [ -n "$PROFILE" ]; then X+=(--profile); fi\ntrain "${X[@]}"'
    paste = paste_of(text)
    (note,) = [note for note in paste.notes if note.kind == "assumed-branch"]
    assert "PROFILE is not set in the paste" in note.message
    assert str(note.location) == "run.sh:1:4"


def test_35c_a_guard_that_ends_the_script_is_passed() -> None:
    """`[ -z "$KEY" ] && exit 1`: the launch happens, so the guard did not."""
    text = 'if [ -z "$KEY" ]; then echo "need KEY"; exit 1; fi\n[ -n "$B" ] || exit 1\n[ $# -lt 1 ] && exit 2\ntrain --x'
    assert words_of(text) == ["--x"]


def test_36_use_before_definition_is_not_resolvable() -> None:
    """A path through a variable that is set only later is noted."""
    paste = paste_of('source "${SCRIPT_DIR}/env.sh"\nSCRIPT_DIR=here\ntrain --d $SCRIPT_DIR')
    (note,) = paste.notes
    assert note.kind == "source-file-missing"
    assert "SCRIPT_DIR" in note.message
    assert text_of(paste.commands[0]) == ["train", "--d", "here"]


def test_37_pipe_and_redirections_end_the_command() -> None:
    """`2>&1 | tee log` is no argument."""
    text = 'now=1\ntrain --x 1 2>&1 | tee "log/x-${now}.log"\ntrain2 --y > out 2> err &'
    assert words_of(text) == ["--x", "1"]
    assert words_of(text, "train2") == ["--y"]


def test_38_heredocs_and_functions() -> None:
    """A heredoc's body is no command; a function's is, where it is called."""
    text = (
        "python - <<'PY'\ntrain --not-a-command\nPY\n"
        'run() { local n=$1; train --n "$n" "${@:2}"; }\nrun 4 --x\n'
    )
    assert words_of(text) == ["--n", "4", "--x"]


def test_39_quoted_globs_are_not_expanded() -> None:
    """`'*.q_proj'` stays."""
    assert words_of("train --modules '*.q_proj' \"*.v_proj\" a*b") == [
        "--modules",
        "*.q_proj",
        "*.v_proj",
        "a*b",
    ]


def test_40_any_language() -> None:
    """Comments, echoes and values in Chinese keep columns in characters."""
    text = 'echo "当前时间: 现在"\nA=(\n  --名 "值 一" --lr 1 # 学习率\n)\ntrain "${A[@]}"'
    paste = paste_of(text)
    command = next(command for command in paste.commands if text_of(command)[0] == "train")
    assert text_of(command) == ["train", "--名", "值 一", "--lr", "1"]
    assert str(command.words[3].location) == "run.sh:3:13"
    assert [comment.text for comment in paste.comments] == ["# 学习率"]
