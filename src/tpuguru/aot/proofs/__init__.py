"""Which settings of a launch change its program: measured, not looked up."""

from tpuguru.aot.proofs.model import DeadSettingProof, ProofReport, ProveLevel, Verdict
from tpuguru.aot.proofs.prove import prove

__all__ = ["DeadSettingProof", "ProofReport", "ProveLevel", "Verdict", "prove"]
