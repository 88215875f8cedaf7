"""Secrets in what users paste never reach a screen, a log or the run store."""

import re
from functools import cache

REDACTED = "<redacted>"

# What a name must end in to hold a secret, as words between «_», «-» and «.».
_SECRET_ENDINGS = frozenset(
    {"password", "passwd", "passphrase", "secret", "secrets", "credential", "credentials"}
)
_SECRET_KEYS = frozenset(
    {
        "api",
        "access",
        "secret",
        "private",
        "account",
        "storage",
        "encryption",
        "signing",
        "ssh",
        "auth",
        "wandb",
    }
)
# Names that end in «token» and are vocabulary, not access: eos_token, pad-token, image_token.
_VOCABULARY = frozenset(
    {
        "eos",
        "bos",
        "pad",
        "unk",
        "mask",
        "sep",
        "cls",
        "image",
        "video",
        "audio",
        "special",
        "stop",
        "start",
        "end",
    }
    | {
        "per",
        "num",
        "max",
        "min",
        "first",
        "last",
        "next",
        "prev",
        "new",
        "think",
        "user",
        "assistant",
        "system",
    }
    | {"quantize", "each", "by", "vision", "text", "a", "the", "of"}
)
_JOINED = ("apikey", "accesskey", "secretkey", "privatekey", "authtoken", "accesstoken", "hftoken")
_WORDS = re.compile(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]+|\d+")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return expressions for secrets that show in the text itself, and their replacements."""
    known_forms = (
        r"hf_[A-Za-z0-9]{8,}|sk-[A-Za-z0-9_-]{8,}|gh[pousr]_[A-Za-z0-9]{8,}|github_pat_[A-Za-z0-9_]{8,}"
        r"|xox[abprs]-[A-Za-z0-9-]{8,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|ya29\.[A-Za-z0-9_.-]{8,}|AIza[A-Za-z0-9_-]{20,}"
        r"|glpat-[A-Za-z0-9_-]{8,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,}|nvapi-[A-Za-z0-9_-]{8,}"
    )
    return (
        (re.compile(rf"(?<![A-Za-z0-9_-])(?:{known_forms})"), REDACTED),
        (
            re.compile(r"(?i)\b(bearer|basic|digest)(\s+)(?!<redacted>)[A-Za-z0-9._~+/=-]{6,}"),
            rf"\1\2{REDACTED}",
        ),
        (re.compile(r"(?i)\b(authorization\s*[:=]\s*)(?!bearer|basic|digest)[^\s\"']+"), rf"\1{REDACTED}"),
        (
            re.compile(r"(\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://[^\s/:@\"']{0,200}):[^\s/@\"']{1,400}@"),
            rf"\1:{REDACTED}@",
        ),
        (re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END|\Z)", re.DOTALL), REDACTED),
    )


# Cheap first look: a text without any of these holds nothing to hide, and most lines of a log have none.
_HINT = re.compile(
    r"(?i)token|secret|passw|passphrase|key|credential|bearer|basic |digest |authorization|://[^\s/]*@|hf_|sk-"
    r"|gh[pousr]_|github_pat_|xox[abprs]-|akia|asia|ya29|aiza|glpat|eyj|nvapi"
)
_NAME_HINT = re.compile(r"(?i)token|secret|passw|passphrase|credential|key")
_LONGEST_NAME = 80
_PER = re.compile(r"(?i)\bper[ -]\Z")
# A name and what separates it from its value: «A=», «--a », «"a": ».
_NAMED = re.compile(
    r"(?P<name>(?<![A-Za-z0-9_.-])(?:--?)?[A-Za-z][A-Za-z0-9_.-]{1,80})"
    r"(?P<between>(?:\\?[\"'])?\s{0,3}[=:]\s{0,3}|(?<=[A-Za-z0-9])\s{1,3})"
    r"(?P<value>\\?\"(?:[^\"\\\n]|\\[^\"\n])*\\?\"?|'[^'\n]*'?|[^\s,;&|}\]]+)"
)


def is_secret_name(name: str) -> bool:
    """Tell whether a variable, key or flag of this name holds a secret: HF_TOKEN, --api-key, wandb.apiKey."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words:
        return False
    if words[-1] in _SECRET_ENDINGS or "".join(words[-2:]) in _JOINED or words[-1] in _JOINED:
        return True
    if words[-1] in ("key", "keys"):
        return len(words) > 1 and words[-2] in _SECRET_KEYS
    if words[-1] == "id":
        return words[-3:-1] == ["access", "key"]
    return words[-1] == "token" and (len(words) == 1 or words[-2] not in _VOCABULARY)


def redact_value(name: str, value: str) -> str:
    """Return a setting's value, hidden when its name says that it is a secret or it looks like one."""
    if is_secret_name(name) and value and not _is_plain(value):
        return REDACTED
    return redact(value)


def _is_plain(value: str) -> bool:
    """Tell whether a value cannot be a secret: a switch, or a reference that is not expanded."""
    return value.lower() in ("true", "false", "none", "null") or value.startswith("${") or value == REDACTED


def redact(text: str) -> str:
    """Return ``text`` with the values of secrets replaced by ``<redacted>``."""
    if _HINT.search(text) is None:
        return text
    for pattern, replacement in _patterns():
        text = pattern.sub(replacement, text)
    kept, position = [], 0
    for hint in _NAME_HINT.finditer(text):
        match = _NAMED.match(text, _start_of_name(text, hint.start(), position))
        if hint.start() >= position and match is not None and _hides(match):
            kept += [text[position : match.start("value")], _quoted_like(match.group("value"))]
            position = match.end()
    return "".join((*kept, text[position:]))


def _start_of_name(text: str, position: int, limit: int) -> int:
    """Return where the name that ``position`` is inside of begins, not before ``limit``."""
    limit = max(limit, position - _LONGEST_NAME)
    while position > limit and (text[position - 1].isalnum() or text[position - 1] in "_.-"):
        position -= 1
    return position


def _hides(match: re.Match[str]) -> bool:
    name, between, value = match.group("name", "between", "value")
    blank = not between.strip()
    if blank and (not name.startswith("-") or value.startswith("-")):
        return False
    if _PER.search(match.string, max(0, match.start() - 5), match.start()):
        return False  # «bytes per token: 2», «reads all weights per token: it …»
    return is_secret_name(name) and not _is_plain(value.strip("\\\"'"))


def _quoted_like(value: str) -> str:
    """Return the replacement with the quotes of the value, so that JSON stays JSON."""
    for quote in ('\\"', '"', "'"):
        if value.startswith(quote):
            closing = quote if value.endswith(quote) and len(value) > len(quote) else ""
            return f"{quote}{REDACTED}{closing}"
    return REDACTED
