"""The prover, asked about launches whose program is a function that the test knows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from tpuguru.aot.proofs.knowledge import DeadReason, Elsewhere, SettingKnowledge
from tpuguru.aot.proofs.model import DeadSettingProof, Verdict
from tpuguru.aot.proofs.oracle import Settings
from tpuguru.aot.proofs.prover import Prover
from tpuguru.aot.proofs.written import Written
from tpuguru.base.ablation import OutOfBudgetError, Program, Refusal, Variation

type Words = Mapping[str, str]
type Meaning = Callable[[Words], str]  # settings, defaults filled in → program; ValueError refuses

STEP = SettingKnowledge(
    step_groups=frozenset({"Step"}), elsewhere=(Elsewhere(groups=("Data",), acts_on="data"),)
)


@dataclass
class Lowering:
    """An oracle over a function. Keys that begin with «data» belong to another part of the configuration."""

    meaning: Meaning
    written: Words
    defaults: Words = field(default_factory=dict)
    budget: int = 10_000
    drifts: bool = False
    asked: int = 0

    def values(self, variation: Variation) -> dict[str, str]:
        kept = {key: value for key, value in self.written.items() if key not in variation.omit}
        added = dict(word.split("=", 1) for word in variation.add)
        return {**self.defaults, **kept, **added}

    def program(self, variation: Variation, *, fresh: bool = False) -> Program | Refusal:
        self.asked += 1
        if self.asked > self.budget:
            raise OutOfBudgetError
        try:
            text = self.meaning(self.values(variation))
        except ValueError as error:
            return Refusal(str(error), "trace")
        return Program(f"{text} at {self.asked}" if self.drifts else text)

    def settings(self, variation: Variation) -> Settings | Refusal:
        values = self.values(variation)
        groups = {key: "Data" if key.startswith("data") else "Step" for key in values}
        return Settings(values, groups)


def prove(oracle: Lowering, knowledge: SettingKnowledge = STEP) -> dict[str, DeadSettingProof]:
    """Return the proofs by key."""
    written = [Written(key, value, "override") for key, value in oracle.written.items()]
    return {proof.key: proof for proof in Prover(oracle, written, knowledge).run(lambda _done, _total: None)}


def test_live_dead_default_and_outside_are_told_apart() -> None:
    """Each of the plain cases gets its verdict, and the hashes that show it."""
    oracle = Lowering(
        lambda words: f"width {words['width']}",
        {"width": "2", "unread": "1", "depth": "4", "data_path": "x"},
        {"width": "1", "depth": "4"},
    )
    proofs = prove(oracle)
    assert {key: proof.verdict for key, proof in proofs.items()} == {
        "width": Verdict.LIVE,
        "unread": Verdict.DEAD,
        "depth": Verdict.DEFAULT,
        "data_path": Verdict.NOT_IN_PROGRAM,
    }
    assert proofs["unread"].hash_with == proofs["unread"].hash_without == "width 2"
    assert proofs["width"].hash_without == "width 1"


def test_what_is_measured_beats_the_table() -> None:
    """A setting that the table puts outside the step is live when the program changes with it."""
    oracle = Lowering(lambda words: words.get("data_rows", ""), {"data_rows": "3", "data_path": "x"})
    proofs = prove(oracle)
    assert proofs["data_rows"].verdict is Verdict.LIVE
    assert proofs["data_path"].verdict is Verdict.NOT_IN_PROGRAM


def test_a_setting_that_the_launch_needs_is_not_dead() -> None:
    """A launch that is refused without a setting needs it."""

    def meaning(words: Words) -> str:
        if "needed" not in words:
            raise ValueError("needed is missing")
        return "program"

    assert prove(Lowering(meaning, {"needed": "1"}))["needed"].verdict is Verdict.REJECTED_WITHOUT


def test_two_settings_with_one_effect_are_redundant_not_dead() -> None:
    """When either of two settings suffices, leaving out both would change the program: neither is called dead."""
    oracle = Lowering(
        lambda words: "fused" if "a" in words or "b" in words else "plain",
        {"a": "1", "b": "1", "unread": "1"},
    )
    proofs = prove(oracle)
    assert proofs["a"].verdict is proofs["b"].verdict is Verdict.REDUNDANT
    assert proofs["a"].masked_by == ("b",)
    assert proofs["unread"].verdict is Verdict.DEAD


def test_the_setting_that_hides_another_is_named() -> None:
    """A setting that is dead because of another names it, and says what to leave out."""

    def meaning(words: Words) -> str:
        tile = "" if words.get("kernel") == "new" else words.get("tile", "")
        return f"{words.get('kernel', 'old')} {tile} {words.get('x')} {words.get('y')} {words.get('z')}"

    proofs = prove(Lowering(meaning, {"x": "1", "kernel": "new", "y": "1", "tile": "128", "z": "1"}))
    assert proofs["tile"].verdict is Verdict.DEAD
    assert proofs["tile"].masked_by == ("kernel",)
    assert "kernel=new" in proofs["tile"].make_live


def test_the_reason_of_the_table_is_tried_out() -> None:
    """A known reason comes with the change under which the setting was measured to act."""
    reason = DeadReason(
        keys=("offload",), reason="only custom reads it", make_live="policy=custom",
        unless={"policy": ["custom"]}, tries=("policy=custom",),
    )  # fmt: skip
    knowledge = SettingKnowledge(step_groups=frozenset({"Step"}), reasons=(reason,))
    oracle = Lowering(
        lambda words: words["policy"] + (words.get("offload", "") if words["policy"] == "custom" else ""),
        {"policy": "full", "offload": "host"},
        {"policy": "minimal"},
    )
    proof = prove(oracle, knowledge)["offload"]
    assert (proof.verdict, proof.reason, proof.tried) == (
        Verdict.DEAD,
        "only custom reads it",
        "policy=custom",
    )


def test_a_value_that_does_what_the_default_does_is_not_dead() -> None:
    """A setting whose other values change the program is read; this value only agrees with the default."""
    knowledge = SettingKnowledge(
        step_groups=frozenset({"Step"}), alternatives={"attention": ("dot_product", "flash")}
    )
    oracle = Lowering(
        lambda words: "plain" if words["attention"] == "dot_product" else "kernel",
        {"attention": "flash"},
        {"attention": "auto"},
    )
    proof = prove(oracle, knowledge)["attention"]
    assert (proof.verdict, proof.tried) == (Verdict.DEFAULT, "attention=dot_product")


def test_a_program_that_changes_by_itself_proves_nothing() -> None:
    """When lowering is not deterministic, a difference is not taken for an effect."""
    proofs = prove(Lowering(lambda _words: "program", {"a": "1"}, drifts=True))
    assert proofs["a"].verdict is Verdict.UNTESTED


def test_a_launch_that_does_not_lower_proves_nothing() -> None:
    """Without a program of its own nothing can be compared."""

    def meaning(words: Words) -> str:
        raise ValueError("no")

    assert prove(Lowering(meaning, {"a": "1"}))["a"].verdict is Verdict.UNTESTED


def test_what_the_budget_does_not_reach_is_untested() -> None:
    """A budget that runs out leaves «untested», never a guess."""
    oracle = Lowering(lambda words: str(sorted(words.items())), {str(key): "1" for key in range(9)}, budget=4)
    verdicts = [proof.verdict for proof in prove(oracle).values()]
    assert verdicts.count(Verdict.LIVE) == 3
    assert verdicts.count(Verdict.UNTESTED) == 6


def test_a_whole_pasted_configuration_is_not_asked_key_by_key() -> None:
    """Of 400 written keys that state their defaults and one that does not, only few are lowered."""
    defaults = {f"key{number}": "1" for number in range(400)}
    oracle = Lowering(lambda words: words["key7"], {**defaults, "key7": "2"}, defaults)
    proofs = prove(oracle)
    assert proofs["key7"].verdict is Verdict.LIVE
    assert sum(proof.verdict is Verdict.DEFAULT for proof in proofs.values()) == 399
    assert oracle.asked < 10


KEYS = tuple("abcdef")


@st.composite
def lowerings(draw: st.DrawFn) -> Lowering:
    """Draw a program of clauses: each adds a line when all its keys are written and none of its others is."""
    clauses = draw(
        st.lists(
            st.tuples(st.sets(st.sampled_from(KEYS), max_size=2), st.sets(st.sampled_from(KEYS), max_size=2)),
            max_size=5,
        )
    )

    def meaning(words: Words) -> str:
        present = set(words)
        lines = [
            i for i, (wanted, hidden) in enumerate(clauses) if wanted <= present and not hidden & present
        ]
        return str(lines)

    return Lowering(meaning, dict.fromkeys(KEYS, "1"))


@given(lowerings())
def test_no_verdict_contradicts_the_program(oracle: Lowering) -> None:
    """Whatever the program: live ones change it, dead ones do not, alone and all together."""
    proofs = prove(oracle)
    base = oracle.program(Variation())
    dead = {key for key, proof in proofs.items() if proof.verdict is Verdict.DEAD}
    for key, proof in proofs.items():
        changed = oracle.program(Variation.without([key])) != base
        assert changed == (proof.verdict is Verdict.LIVE), (key, proof)
        if proof.verdict is Verdict.REDUNDANT:
            assert oracle.program(Variation.without([key, *proof.masked_by])) != base
    assert oracle.program(Variation.without(dead)) == base
