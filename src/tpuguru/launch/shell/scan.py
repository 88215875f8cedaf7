"""Finding where a quote, ``${…}`` or ``$(…)`` ends, without understanding what is inside."""


def end_of_single_quote(text: str, start: int, end: int) -> int:
    """Return the offset of the ``'`` that closes the one before ``start``, or ``end`` when none does."""
    close = text.find("'", start, end)
    return end if close < 0 else close


def end_of_double_quote(text: str, start: int, end: int) -> int:
    """Return the offset of the ``"`` that closes the one before ``start``, or ``end``."""
    return _scan(text, start, end, '"', quoted=True)


def end_of_brace(text: str, start: int, end: int) -> int:
    """Return the offset of the ``}`` that closes a ``${`` just before ``start``, or ``end``."""
    return _scan(text, start, end, "}", quoted=False)


def end_of_parenthesis(text: str, start: int, end: int) -> int:
    """Return the offset of the ``)`` that closes a ``(`` just before ``start``, or ``end``."""
    return _scan(text, start, end, ")", quoted=False)


def end_of_backtick(text: str, start: int, end: int) -> int:
    """Return the offset of the backtick that closes the one before ``start``, or ``end``."""
    position = start
    while position < end and text[position] != "`":
        position += 2 if text[position] == "\\" else 1
    return min(position, end)


_OPENING = {"${": "}", "$(": ")"}


def _scan(text: str, start: int, end: int, closer: str, *, quoted: bool) -> int:
    """Walk with an explicit stack of what is open, so that deep nesting costs no recursion."""
    stack = [(closer, quoted)]
    position = start
    while position < end:
        character = text[position]
        wanted, in_quotes = stack[-1]
        if character == "\\":
            position += 2
            continue
        if character == wanted:
            stack.pop()
            if not stack:
                return position
        elif text[position : position + 2] in _OPENING:
            stack.append((_OPENING[text[position : position + 2]], False))
            position += 2
            continue
        elif character == '"' and not in_quotes:
            stack.append(('"', True))
        elif character == "'" and not in_quotes:
            position = end_of_single_quote(text, position + 1, end)
        elif character == "(" and wanted == ")" and not in_quotes:
            stack.append((")", False))
        position += 1
    return end
