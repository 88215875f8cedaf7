"""A small vocabulary and facts for tests of the rule language; the shipped vocabulary would hide what matters."""

from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.schema import FactType, Field, Stage, Unit, Vocabulary
from tpuguru.facts.value import FactValue, Unknown, Value
from tpuguru.rules.language.checker import check_expression
from tpuguru.rules.language.compiler import compile_node
from tpuguru.rules.language.errors import ExpressionError
from tpuguru.rules.language.missing import Missing
from tpuguru.rules.language.parser import parse_expression
from tpuguru.rules.language.scope import Scope

VOCABULARY = Vocabulary(
    (
        Field("launch.framework", FactType.TEXT, "framework"),
        Field("job.flag", FactType.BOOLEAN, "a truth value"),
        Field("job.other", FactType.BOOLEAN, "another"),
        Field("job.third", FactType.BOOLEAN, "a third"),
        Field("job.layers", FactType.INTEGER, "a plain number"),
        Field("job.rate", FactType.NUMBER, "a plain number"),
        Field("job.policy", FactType.TEXT, "a choice", choices=("full", "minimal", "custom")),
        Field("job.script", FactType.TEXT, "a text"),
        Field("job.names", FactType.TEXTS, "texts"),
        Field("job.sizes", FactType.INTEGERS, "bytes", Unit.BYTES),
        Field("job.devices", FactType.INTEGER, "devices", Unit.DEVICES),
        Field("job.chips", FactType.INTEGER, "chips", Unit.CHIPS),
        Field("job.tokens", FactType.INTEGER, "tokens", Unit.TOKENS),
        Field("job.parameters", FactType.INTEGER, "parameters", Unit.PARAMETERS),
        Field("hw.hbm", FactType.INTEGER, "bytes", Unit.BYTES),
        Field("hw.peak", FactType.NUMBER, "FLOP/s", Unit.FLOPS_PER_SECOND),
        Field("run.seconds", FactType.NUMBER, "seconds", Unit.SECONDS, stage=Stage.OBSERVED),
        Field("run.text", FactType.TEXT, "a log", stage=Stage.OBSERVED),
        Field("compiled.used", FactType.INTEGER, "bytes", Unit.BYTES, stage=Stage.COMPILED),
        Field(
            "compiled.collectives",
            FactType.RECORDS,
            "collectives",
            fields=(
                Field("kind", FactType.TEXT, "kind", choices=("all-gather", "all-reduce")),
                Field("bytes", FactType.INTEGER, "bytes", Unit.BYTES),
            ),
            stage=Stage.COMPILED,
        ),
    )
)


def facts(**values: FactValue | Unknown) -> Facts:
    """Return facts given as ``job__layers=4``, as if written on a command line."""
    origin = Origin(OriginKind.COMMAND)
    return Facts(
        ((name.replace("__", "."), Value(value, origin)) for name, value in values.items()),
        schema=VOCABULARY,
    )


def evaluate(text: str, known: Facts) -> object:
    """Check and evaluate an expression; an undecided one gives the set of the facts it is missing."""
    expression = parse_expression(text)
    check_expression(expression, VOCABULARY)
    value = compile_node(expression.tree)(Scope(known))
    return {fact.name for fact in value.facts} if isinstance(value, Missing) else value


def complaint(text: str) -> str:
    """Return an expression with the carets and the sentence of its fault, as three or four lines."""
    try:
        check_expression(parse_expression(text), VOCABULARY)
    except ExpressionError as error:
        span = error.span
        lines = text.split("\n")
        marked = ""
        if span:
            end = span.end_column if span.end_line == span.line else len(lines[span.line - 1]) + 1
            marked = "\n" + " " * (span.column - 1) + "^" * (end - span.column)
        line = lines[min(span.line if span else 1, len(lines)) - 1]
        return "\n".join(part for part in (f"{line}{marked}", error.message, error.hint) if part)
    return "no fault"
