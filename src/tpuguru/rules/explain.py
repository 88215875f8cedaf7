"""Why a rule fired or did not, operand by operand."""

from tpuguru.facts.factset import Facts
from tpuguru.rules.engine import evaluate_rule
from tpuguru.rules.language.missing import Missing
from tpuguru.rules.language.scope import Scope
from tpuguru.rules.model import Piece, Rule
from tpuguru.rules.tipping import operands


def explain_outcome(rule: Rule, facts: Facts) -> str:
    """Return the verdict and, for `when`, `borderline` and `unless`, what each part was."""
    scope = Scope(facts)
    outcome = evaluate_rule(rule, scope)
    lines = [f"{rule.name} ({rule.id}): {outcome.verdict}"]
    framework = facts.get("launch.framework").value
    if not rule.applies_everywhere and framework not in rule.applies_to:
        lines.append(f"  it is for {', '.join(rule.applies_to)}; this launch is of {framework}")
    lines += [f"  needs {need}" for need in outcome.needs]
    for word, piece in (("when", rule.when), ("borderline", rule.borderline), ("unless", rule.unless)):
        if piece is not None:
            lines += _explain_piece(word, piece, scope)
    return "\n".join(lines)


def _explain_piece(word: str, piece: Piece, scope: Scope) -> list[str]:
    lines = [f"  {word}:"]
    for operand in operands(piece.text, scope):
        answer = "?" if isinstance(operand.value, Missing) else "yes" if operand.value else "no"
        indent = "    " + "  " * max(operand.depth - 1, 0)
        detail = f"   ({operand.detail})" if operand.detail else ""
        lines.append(f"{indent}{answer:3} {operand.source}{detail}")
    return lines
