"""The values service's state: laziness, what stays unknown and why, ranks that meet, deadlocks."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from tpuguru.slice.values.frames import (
    PROTOCOL_VERSION,
    ExecuteFrame,
    FetchFrame,
    FrameError,
    FreeFrame,
    GiveFrame,
    Hello,
    ProgramFrame,
    Question,
    ReadyFrame,
    ReceiveFrame,
    SendFrame,
    ValueFrame,
    WaitFrame,
)
from tpuguru.slice.values.graph import Execution, HostError, Program
from tpuguru.slice.values.session import Rank, Session

KIND = (11, (1,))  # f32[1]


@dataclass
class Adder:
    """A real little engine: every output is the sum of the bytes of the arguments it depends on, over all places."""

    dependencies: dict[str, tuple[tuple[int, ...] | str, ...]]
    runs: list[str] = field(default_factory=list)
    failing: str = ""

    def prepare(self, program: Program) -> None:
        program.dependencies = self.dependencies[program.frame.name]

    def warm_up(self, devices: int) -> None:
        raise NotImplementedError

    def run(self, execution: Execution) -> list[list[bytes]] | None:
        program = execution.program
        self.runs.append(program.frame.name)
        if program.frame.name == self.failing:
            program.objection = "it aborted"
            return None
        places = range(program.width)
        assert program.dependencies is not None
        row = []
        for needed in program.dependencies:
            parts = [
                (execution.arguments_at(place)[index].data or b"\0")[0]
                for place in places
                for index in (needed if isinstance(needed, tuple) else ())
            ]
            row.append(bytes([sum(parts) % 256]))
        return [row for _ in places]


@dataclass
class Answers:
    """What one rank was told."""

    told: dict[int, tuple[bytes | None, str]] = field(default_factory=dict)

    def __call__(self, request: int, data: bytes | None, reason: str) -> None:
        self.told[request] = (data, reason)


def program(
    name: str, number: int = 1, *, partitions: int = 1, collectives: bool = False, outputs: int = 1
) -> ProgramFrame:
    return ProgramFrame(
        number,
        f"hash of {name}",
        name,
        1,
        partitions,
        collectives,
        1.0,
        1,
        tuple(range(partitions)),
        (KIND,) * outputs,
        b"",
        b"",
    )


def connect(session: Session, *devices: int) -> tuple[Rank, Answers]:
    answers = Answers()
    rank = session.connect(answers, lambda request, question: None)
    session.handle(rank, Hello(PROTOCOL_VERSION, 1000 + devices[0], devices))
    return rank, answers


def test_nothing_is_computed_before_it_is_read() -> None:
    """A chain is evaluated when its end is read, in order, and only once."""
    engine = Adder({"one": ((0,),), "two": ((0,),)})
    session = Session(engine)
    rank, answers = connect(session, 0)
    for frame in (
        program("one", 1),
        program("two", 2),
        ValueFrame(1, KIND, b"\x05"),
        ExecuteFrame(1, 10, (0,), ((1,),), ()),
        ExecuteFrame(2, 11, (0,), ((10,),), ()),
    ):
        session.handle(rank, frame)
    assert engine.runs == []
    session.handle(rank, FetchFrame(7, 11))
    session.handle(rank, FetchFrame(8, 11))
    assert engine.runs == ["one", "two"]
    assert answers.told == {7: (b"\x05", ""), 8: (b"\x05", "")}


def test_what_is_not_known_is_known_per_output() -> None:
    """One output depends on an unknown argument and one does not; a third can never be known."""
    engine = Adder({"fused": ((0,), (1,), "only a TPU has it")})
    session = Session(engine)
    rank, answers = connect(session, 0)
    session.handle(rank, program("fused", outputs=3))
    session.handle(rank, ValueFrame(1, KIND, b"\x07"))
    session.handle(rank, ExecuteFrame(1, 10, (0,), ((1, 0),), (KIND, KIND)))
    for request, value in enumerate((10, 11, 12)):
        session.handle(rank, FetchFrame(request, value))
    assert answers.told[0] == (b"\x07", "")
    assert answers.told[1][0] is None
    assert "too big to keep" in answers.told[1][1]
    assert answers.told[2][1] == "fused: only a TPU has it"


def test_the_first_reason_travels() -> None:
    """What depends on an unknown value names the program that could not be computed, not the last one."""
    engine = Adder({"root": ((0,),), "leaf": ((0,),)}, failing="root")
    session = Session(engine)
    rank, answers = connect(session, 0)
    session.handle(rank, program("root", 1))
    session.handle(rank, program("leaf", 2))
    session.handle(rank, ValueFrame(1, KIND, b"\x01"))
    session.handle(rank, ExecuteFrame(1, 10, (0,), ((1,),), ()))
    session.handle(rank, ExecuteFrame(2, 11, (0,), ((10,),), ()))
    session.handle(rank, FetchFrame(1, 11))
    assert answers.told[1] == (None, "root: it aborted")
    assert engine.runs == ["root"]


def test_an_argument_may_be_freed_before_the_result_is_read() -> None:
    """Donated and dropped arguments live on until what depends on them was computed."""
    session = Session(Adder({"one": ((0,),)}))
    rank, answers = connect(session, 0)
    session.handle(rank, program("one"))
    session.handle(rank, ValueFrame(1, KIND, b"\x09"))
    session.handle(rank, ExecuteFrame(1, 10, (0,), ((1,),), ()))
    session.handle(rank, FreeFrame(1))
    session.handle(rank, FetchFrame(1, 10))
    assert answers.told[1] == (b"\x09", "")
    session.handle(rank, FetchFrame(2, 1))
    assert answers.told[2][0] is None


def test_a_program_that_never_reads_does_not_pile_up() -> None:
    """After a thousand executions the chain is evaluated, so its past can be forgotten."""
    engine = Adder({"step": ((0,),)})
    session = Session(engine)
    rank, _ = connect(session, 0)
    session.handle(rank, program("step"))
    session.handle(rank, ValueFrame(1, KIND, b"\x01"))
    for number in range(1000):
        session.handle(rank, ExecuteFrame(1, number + 2, (0,), ((number + 1,),), ()))
        session.handle(rank, FreeFrame(number + 1))
    assert len(engine.runs) == 1000
    assert len(rank.values) == 1


def test_what_no_output_needs_is_not_computed() -> None:
    """An argument that nothing knowable depends on may be expensive: a batch, for a step that is too big."""
    engine = Adder({"batch": ((0,),), "step": ("it is too much", (1,))})
    session = Session(engine)
    rank, answers = connect(session, 0)
    session.handle(rank, program("batch", 1))
    session.handle(rank, program("step", 2, outputs=2))
    session.handle(rank, ValueFrame(1, KIND, b"\x01"))
    session.handle(rank, ExecuteFrame(1, 10, (0,), ((1,),), ()))
    session.handle(rank, ExecuteFrame(2, 20, (0,), ((10, 1),), ()))
    session.handle(rank, FetchFrame(1, 20))
    session.handle(rank, FetchFrame(2, 21))
    assert answers.told == {1: (None, "step: it is too much"), 2: (b"\x01", "")}
    assert engine.runs == ["step"]


def test_a_chain_beside_a_hopeless_program_does_not_pile_up() -> None:
    """Keys that only feed a step that is too big are computed now and then all the same."""
    engine = Adder({"split": ((0,),), "step": ("it is too much",)})
    session = Session(engine)
    rank, _ = connect(session, 0)
    session.handle(rank, program("split", 1))
    session.handle(rank, program("step", 2))
    session.handle(rank, ValueFrame(1, KIND, b"\x01"))
    for number in range(500):
        key, new, loss = 3 * number + 1, 3 * number + 4, 3 * number + 3
        session.handle(rank, ExecuteFrame(1, new, (0,), ((key,),), ()))
        session.handle(rank, ExecuteFrame(2, loss, (0,), ((new,),), ()))
        session.handle(rank, FreeFrame(key))
        session.handle(rank, FreeFrame(loss))
    assert len(engine.runs) == 500


def two_ranks(collectives: bool = True) -> tuple[Session, Adder, list[tuple[Rank, Answers]]]:
    engine = Adder({"reduce": ((0,),), "other": ((0,),)})
    session = Session(engine)
    ranks = [connect(session, 0), connect(session, 1)]
    for (rank, _), data in zip(ranks, (b"\x03", b"\x04"), strict=True):
        session.handle(rank, program("reduce", 1, partitions=2, collectives=collectives))
        session.handle(rank, program("other", 2, partitions=2, collectives=collectives))
        session.handle(rank, ValueFrame(1, KIND, data))
    return session, engine, ranks


def test_ranks_meet_in_a_collective() -> None:
    """The answer waits for the last rank, is computed once, and is the same for both."""
    session, engine, [(first, told_first), (second, told_second)] = two_ranks()
    session.handle(first, ExecuteFrame(1, 10, (0,), ((1,),), ()))
    session.handle(first, FetchFrame(1, 10))
    assert told_first.told == {}
    session.handle(second, ExecuteFrame(1, 10, (1,), ((1,),), ()))
    assert told_first.told[1] == (b"\x07", "")
    session.handle(second, FetchFrame(1, 10))
    assert told_second.told[1] == (b"\x07", "")
    assert engine.runs == ["reduce"]


def test_the_second_execution_meets_the_second() -> None:
    """A rank that runs ahead meets each of the other's executions in turn."""
    session, engine, [(first, told), (second, _)] = two_ranks()
    for number in (10, 20):
        session.handle(first, ExecuteFrame(1, number, (0,), ((1,),), ()))
    session.handle(first, FetchFrame(1, 20))
    session.handle(second, ExecuteFrame(1, 10, (1,), ((1,),), ()))
    assert told.told == {}
    session.handle(second, ExecuteFrame(1, 20, (1,), ((1,),), ()))
    assert told.told[1] == (b"\x07", "")
    assert len(engine.runs) == 1


def test_without_collectives_nobody_waits() -> None:
    """A program that does not communicate gives each rank its own answer at once."""
    session, _, [(first, told), _] = two_ranks(collectives=False)
    session.handle(first, ExecuteFrame(1, 10, (0,), ((1,),), ()))
    session.handle(first, FetchFrame(1, 10))
    assert told.told[1] == (b"\x06", "")  # its own argument stands in for both places


def test_ranks_in_different_collectives_are_a_certain_deadlock() -> None:
    """Each waits in a program that the other never enters; both are named with where they wait."""
    session, _, [(first, _), (second, _)] = two_ranks()
    session.handle(first, ExecuteFrame(1, 10, (0,), ((1,),), ()))
    session.handle(first, FetchFrame(1, 10))
    assert [each.certain for each in session.deadlocks()] == [False]
    session.handle(second, ExecuteFrame(2, 10, (1,), ((1,),), ()))
    session.handle(second, FetchFrame(1, 10))
    found = sorted(session.deadlocks(), key=lambda each: each.program)
    assert [(each.program, each.certain) for each in found] == [("other", True), ("reduce", True)]
    assert found[1].waiting == ("process 1000 (device 0)",)
    assert found[1].missing == ("process 1001 (device 1): waits in other",)


def test_a_rank_that_is_gone_is_a_certain_deadlock() -> None:
    """When the missing rank's process has ended, nobody needs to wait longer."""
    session, _, [(first, told), (second, _)] = two_ranks()
    session.handle(first, ExecuteFrame(1, 10, (0,), ((1,),), ()))
    session.handle(first, FetchFrame(1, 10))
    session.disconnect(second)
    [found] = session.deadlocks()
    assert found.certain
    assert found.missing == ("device 1: its process is gone or never started",)
    session.give_up()
    assert told.told[1][0] is None
    assert list(session.deadlocks()) == []


@pytest.mark.parametrize(
    "frame",
    [ExecuteFrame(9, 10, (0,), ((1,),), ()), ExecuteFrame(1, 10, (0,), ((99,),), ()), Hello(99, 1, (0,))],
)
def test_what_was_never_told_is_an_error(frame: ExecuteFrame | Hello) -> None:
    """An unknown program, an unknown value, another version: the rank is dropped, not guessed at."""
    session, _, [(first, _), _] = two_ranks()
    with pytest.raises(FrameError):
        session.handle(first, frame)


@dataclass
class Calling(Adder):
    """Adds, and asks the host once: what it gives is the output."""

    def prepare(self, program: Program) -> None:
        super().prepare(program)
        program.host_calls = ((0,),)

    def run(self, execution: Execution) -> list[list[bytes]] | None:
        sent = execution.arguments_at(0)[0].data or b""
        if 0 in execution.silent:
            return [[b"\0"]]
        try:
            return [execution.hosts[0](Question(0, ((2, sent),), ((3, 1),)))]
        except HostError as error:
            execution.failure = str(error)
            return None


def calling(reply: Callable[[Session, Rank, int], None]) -> tuple[Session, Rank, Answers]:
    """A session with a program that asks the host; its output is what the host gives, argument 1 + 0."""
    session = Session(Calling({"callback": ((1,),), "other": ((0,),)}))
    answers = Answers()
    rank = session.connect(answers, lambda request, question: reply(session, rank, request))
    session.handle(rank, Hello(PROTOCOL_VERSION, 1000, (0,)))
    session.handle(rank, program("callback"))
    session.handle(rank, ValueFrame(1, KIND, b"\x05"))
    return session, rank, answers


def test_the_host_is_asked_while_a_program_runs() -> None:
    """The output is what the host gives; the execution's own request is answered when all were called."""
    session, rank, answers = calling(lambda s, r, request: s.handle(r, GiveFrame(request, "", (b"\x2a",))))
    session.handle(rank, ExecuteFrame(1, 10, (0,), ((1,),), (), request=7))
    assert answers.told == {7: (b"", "")}
    session.handle(rank, FetchFrame(8, 10))
    assert answers.told[8] == (b"\x2a", "")


def test_the_host_may_want_a_value_before_it_answers() -> None:
    """A function of the host reads another array: that is computed while the program waits."""

    def reply(session: Session, rank: Rank, request: int) -> None:
        session.handle(rank, FetchFrame(50, 1))
        session.handle(rank, GiveFrame(request, "", (b"\x01",)))

    session, rank, answers = calling(reply)
    session.handle(rank, ExecuteFrame(1, 10, (0,), ((1,),), (), request=7))
    assert answers.told == {50: (b"\x05", ""), 7: (b"", "")}


def test_a_program_that_asks_waits_for_another_that_asks() -> None:
    """Executed while the host is being asked, it is computed afterwards."""
    asked: list[int] = []

    def reply(session: Session, rank: Rank, request: int) -> None:
        asked.append(request)
        if request == 7:
            session.handle(rank, ExecuteFrame(1, 20, (0,), ((1,),), (), request=9))
            assert asked == [7]
        session.handle(rank, GiveFrame(request, "", (b"\x01",)))

    session, rank, answers = calling(reply)
    session.handle(rank, ExecuteFrame(1, 10, (0,), ((1,),), (), request=7))
    assert asked == [7, 9]
    assert set(answers.told) == {7, 9}


def test_a_function_of_the_host_that_fails_fails_its_execution_only() -> None:
    """The error is the reason; the next execution is computed."""
    errors = ["it raised", ""]
    session, rank, answers = calling(
        lambda s, r, request: s.handle(r, GiveFrame(request, errors.pop(0), (b"\x2a",)))
    )
    for number, request in ((10, 7), (20, 8)):
        session.handle(rank, ExecuteFrame(1, number, (0,), ((1,),), (), request=request))
    session.handle(rank, FetchFrame(1, 10))
    assert answers.told[1] == (None, "callback: it raised")
    assert answers.told[8] == (b"", "")


def test_the_host_is_not_asked_about_what_is_not_known() -> None:
    """An unknown argument: the callback is not called, and what it would have made says why."""

    def never(session: Session, rank: Rank, request: int) -> None:
        raise AssertionError

    session, rank, answers = calling(never)
    session.handle(rank, ExecuteFrame(1, 10, (0,), ((0,),), (KIND,), request=7))
    session.handle(rank, FetchFrame(8, 10))
    assert answers.told[7] == answers.told[8]
    assert "too big to keep" in answers.told[8][1]


def test_an_array_is_ready_when_all_ranks_have_entered() -> None:
    """Nothing is computed to say so; the rank that waits is answered when the last one comes."""
    session, engine, [(first, told), (second, _)] = two_ranks()
    session.handle(first, ExecuteFrame(1, 10, (0,), ((1,),), ()))
    session.handle(first, ReadyFrame(5, 10))
    assert told.told == {}
    assert [each.certain for each in session.deadlocks()] == [False]
    session.handle(second, ExecuteFrame(1, 10, (1,), ((1,),), ()))
    assert told.told == {5: (b"", "")}
    assert engine.runs == []


def test_an_array_goes_from_one_rank_to_another() -> None:
    """The receiver waits for the sender, whichever comes first; a key may be used again."""
    session = Session(Adder({}))
    (first, _), (second, told) = connect(session, 0), connect(session, 1)
    for number, data in ((1, b"\x11"), (2, b"\x22")):
        session.handle(second, ReceiveFrame("key", number, KIND, 1))
        session.handle(second, FetchFrame(number, number))
        assert number not in told.told
        assert [each.program for each in session.deadlocks()] == ["send/receive"]
        session.handle(first, ValueFrame(number, KIND, data))
        session.handle(first, SendFrame("key", number))
        assert told.told[number] == (data, "")


def test_sends_of_a_channel_meet_its_receives_in_order() -> None:
    """A sender that is ahead uses another receive's number; the arrays still arrive in order, with a note."""
    session = Session(Adder({}))
    (first, _), (second, told) = connect(session, 0), connect(session, 1)
    for number in (1, 2):
        session.handle(second, ReceiveFrame(f"from 0#{number}", number, KIND, 1))
        session.handle(second, FetchFrame(number, number))
    for number, data in ((1, b"\x11"), (2, b"\x22"), (3, b"\x33")):
        session.handle(first, ValueFrame(number, KIND, data))
        session.handle(first, SendFrame("from 0#2", number))
    assert told.told == {1: (b"\x11", ""), 2: (b"\x22", "")}
    session.handle(second, ReceiveFrame("from 0#3", 3, KIND, 1))
    session.handle(second, FetchFrame(3, 3))
    assert told.told[3] == (b"\x33", "")
    [note] = session.notes()
    assert note.startswith("from 0: 2 sends ")


def test_ranks_that_wait_in_sends_for_each_other_are_a_deadlock() -> None:
    """A send waits out of the service's sight; when everybody does, nobody will come."""
    session = Session(Adder({}))
    (first, _), (second, _) = connect(session, 0), connect(session, 1)
    session.handle(first, WaitFrame("send to rank 1"))
    assert [each.certain for each in session.deadlocks()] == [False]
    session.handle(second, WaitFrame("send to rank 0"))
    assert [(each.program, each.certain) for each in session.deadlocks()] == [
        ("send to rank 1", True),
        ("send to rank 0", True),
    ]
    session.handle(second, WaitFrame(""))
    session.handle(first, WaitFrame(""))
    assert list(session.deadlocks()) == []


def test_values_are_kept_up_to_a_size_together() -> None:
    """What does not fit beside the others is unknown; what comes after a free fits again."""
    session = Session(Adder({}), most_bytes=20_000)
    rank, answers = connect(session, 0)
    for number in (1, 2, 3):
        session.handle(rank, ValueFrame(number, KIND, bytes(8192)))
    session.handle(rank, FreeFrame(1))
    session.handle(rank, ValueFrame(4, KIND, bytes(8192)))
    for number in (2, 3, 4):
        session.handle(rank, FetchFrame(number, number))
    assert answers.told[2] == (bytes(8192), "")
    assert answers.told[3] == (None, "more values were known than fit here together (19.53 KiB)")
    assert answers.told[4] == (bytes(8192), "")


def test_computed_values_count_too() -> None:
    """An output that does not fit beside what is known is given up, with the reason."""
    engine = Adder({"copy": ((0,),)})
    engine.run = lambda execution: [[bytes(8192)]]  # type: ignore[method-assign]
    session = Session(engine, most_bytes=10_000)
    rank, answers = connect(session, 0)
    session.handle(rank, program("copy"))
    session.handle(rank, ValueFrame(1, KIND, b"\x01"))
    for output in (10, 11):
        session.handle(rank, ExecuteFrame(1, output, (0,), ((1,),), ()))
        session.handle(rank, FetchFrame(output, output))
    assert answers.told[10] == (bytes(8192), "")
    assert "more values were known" in answers.told[11][1]
