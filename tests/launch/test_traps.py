"""Traps about meaning that the study of published scripts found."""

from tests.launch.reading import commands_of, paste_of, text_of, words_of

from tpuguru.launch.arguments import Nargs, read_flags
from tpuguru.launch.comments import tie_comments
from tpuguru.launch.model import Comment, Setting


def explained(text: str) -> list[tuple[Comment, list[str]]]:
    """Return each comment with the keys of the settings it covers."""
    paste = paste_of(text)
    settings = read_flags(paste.commands[-1].words[1:], {"a": Nargs.NONE}).settings

    def keys(comment: Comment, settings: tuple[Setting, ...]) -> list[str]:
        return [setting.key for setting in settings if setting.location in comment.covers]

    return [(comment, keys(comment, settings)) for comment in tie_comments(paste.comments, settings)]


def test_a_header_comment_is_no_fact_and_covers_nothing() -> None:
    """«16xGPU» in a header stands apart by a blank line."""
    assert (
        explained('#!/bin/bash\n# 16xGPU, no recompute\n\nA=(\n  --recompute full\n)\ntrain "${A[@]}"') == []
    )


def test_a_note_covers_the_contiguous_flags_below_it() -> None:
    """To the blank line; a switched-off flag in between does not end it."""
    text = 'A=(\n  # NOTE(x): accuracy\n  --p 1\n  # --old 2\n  --q 3\n\n  --r 4\n)\ntrain "${A[@]}"'
    assert [(comment.text, keys) for comment, keys in explained(text)] == [
        ("# NOTE(x): accuracy", ["p", "q"]),
        ("# --old 2", ["q"]),
    ]


def test_a_note_ends_with_the_array() -> None:
    """What follows the closing parenthesis is not explained."""
    text = 'A=(\n  --p 1\n  # NOTE: later\n  # --off\n)\nB=(--q 2)\ntrain "${A[@]}" "${B[@]}"'
    assert explained(text) == []


def test_a_comment_above_a_statement_covers_that_statement() -> None:
    """Not the array that follows it without a blank line."""
    text = '# avoid OOM\nA=(\n  --p 1\n)\nB=(\n  --q 2\n)\ntrain "${A[@]}" "${B[@]}"'
    assert [(comment.text, keys) for comment, keys in explained(text)] == [("# avoid OOM", ["p"])]


def test_a_comment_above_one_line_assignments_covers_the_block() -> None:
    """A group of exports under one explanation."""
    paste = paste_of("# for the network\nexport NCCL_A=1\nexport NCCL_B=2\n\nexport C=3\ntrain")
    (comment,) = tie_comments(paste.comments, paste.commands[0].environment)
    assert [location.line for location in comment.covers] == [2, 3]


def test_the_last_array_on_the_command_line_wins() -> None:
    """MODEL_ARGS says alltoall, PERF_ARGS later says flex: flex."""
    text = 'M=(--dispatcher alltoall)\nP=(--dispatcher flex)\ntrain "${M[@]}" "${P[@]}"'
    settings = read_flags(commands_of(text)[0].words[1:], {"dispatcher": Nargs.ONE}).settings
    assert [setting.text for setting in settings if setting.overridden_by is None] == ["flex"]


def test_flags_far_from_their_group_still_count() -> None:
    """An optimizer flag in PERF_ARGS, a resource flag on the ray line."""
    text = 'P=(--optimizer-cpu-offload)\nray job submit -- train --balance-data "${P[@]}"'
    assert words_of(text) == ["--balance-data", "--optimizer-cpu-offload"]


def test_a_toggle_is_not_a_variant_but_is_noted() -> None:
    """`ENABLE_X=1` switches a flag on; the paste is still one launch."""
    text = 'M=(--a)\nif [ "${ENABLE_X:-0}" = "1" ]; then M+=(--x); fi\ntrain "${M[@]}"'
    paste = paste_of(text)
    assert [text_of(command) for command in paste.commands] == [["train", "--a"]]
    assert [note.kind for note in paste.notes] == ["assumed-branch"]


def test_negative_numbers_and_quoted_dashes_are_values() -> None:
    """`--lr -1e-4` and `--stop '--'`."""
    (command,) = commands_of("train --lr -1e-4 --stop '--end' --n -1")
    settings = read_flags(command.words[1:]).settings
    assert [(setting.key, setting.text) for setting in settings] == [
        ("lr", "-1e-4"),
        ("stop", "--end"),
        ("n", "-1"),
    ]
