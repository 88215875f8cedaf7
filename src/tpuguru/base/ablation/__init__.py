"""What settings do, found by leaving them out: shared by every prover, whatever it measures."""

from tpuguru.base.ablation.masks import find_masks
from tpuguru.base.ablation.oracle import OutOfBudgetError, Program, ProgramOracle, Refusal, Variation
from tpuguru.base.ablation.redundancy import redundant_partners

__all__ = [
    "OutOfBudgetError",
    "Program",
    "ProgramOracle",
    "Refusal",
    "Variation",
    "find_masks",
    "redundant_partners",
]
