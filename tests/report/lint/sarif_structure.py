"""The structure that SARIF 2.1.0 requires of what we write, as a JSON Schema of our own.

Each object allows only the properties that the standard gives it and we use, and requires those the standard
requires; section numbers are the standard's. The output was also checked once against the schema that OASIS
publishes, which is not ours to ship.
"""

from typing import Any

Schema = dict[str, Any]


def record(required: list[str], **properties: Schema) -> Schema:
    """Return the schema of an object with these properties and no other."""
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def array(items: Schema, **more: object) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items, **more}


TEXT: Schema = {"type": "string"}
POSITIVE: Schema = {"type": "integer", "minimum": 1}
LEVEL: Schema = {"enum": ["none", "note", "warning", "error"]}  # 3.27.10
BAG: Schema = {"type": "object"}  # 3.8

MESSAGE = record(["text"], text=TEXT, markdown=TEXT)  # 3.11
ARTIFACT_LOCATION = record([], uri={"type": "string", "format": "uri-reference"})  # 3.4
REGION = record(  # 3.30
    ["startLine"], startLine=POSITIVE, startColumn=POSITIVE, endLine=POSITIVE, endColumn=POSITIVE
)
PHYSICAL = record(["artifactLocation"], artifactLocation=ARTIFACT_LOCATION, region=REGION)  # 3.29
LOCATION = record(  # 3.28
    [], id={"type": "integer", "minimum": -1}, physicalLocation=PHYSICAL, message=MESSAGE
)
SUPPRESSION = record(  # 3.35
    ["kind"],
    kind={"enum": ["inSource", "external"]},
    status={"enum": ["accepted", "underReview", "rejected"]},
    justification=TEXT,
    location=LOCATION,
)
REPLACEMENT = record(["deletedRegion"], deletedRegion=REGION, insertedContent=record(["text"], text=TEXT))
CHANGE = record(
    ["artifactLocation", "replacements"],
    artifactLocation=ARTIFACT_LOCATION,
    replacements=array(REPLACEMENT, minItems=1),
)
FIX = record(["artifactChanges"], description=MESSAGE, artifactChanges=array(CHANGE, minItems=1))  # 3.55
RESULT = record(  # 3.27
    ["message"],
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": -1},
    kind={"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
    level=LEVEL,
    message=MESSAGE,
    locations=array(LOCATION),
    relatedLocations=array(LOCATION, uniqueItems=True),
    partialFingerprints={"type": "object", "additionalProperties": TEXT},
    baselineState={"enum": ["new", "unchanged", "updated", "absent"]},
    suppressions=array(SUPPRESSION, uniqueItems=True),
    fixes=array(FIX, uniqueItems=True),
    properties=BAG,
)
RULE = record(  # 3.49
    ["id"],
    id=TEXT,
    name=TEXT,
    shortDescription=MESSAGE,
    help=MESSAGE,
    helpUri={"type": "string", "format": "uri"},
    defaultConfiguration=record([], level=LEVEL),
    properties=BAG,
)
NOTIFICATION = record(  # 3.58
    ["message"], level=LEVEL, message=MESSAGE, locations=array(LOCATION), descriptor=record([], id=TEXT)
)
INVOCATION = record(  # 3.20
    ["executionSuccessful"],
    executionSuccessful={"type": "boolean"},
    exitCode={"type": "integer"},
    toolExecutionNotifications=array(NOTIFICATION),
)
DRIVER = record(["name"], name=TEXT, version=TEXT, rules=array(RULE, uniqueItems=True))  # 3.19
RUN = record(  # 3.14
    ["tool"],
    tool=record(["driver"], driver=DRIVER),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    invocations=array(INVOCATION),
    artifacts=array(record([], location=ARTIFACT_LOCATION)),
    results=array(RESULT),
)
SARIF: Schema = {  # 3.13
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **record(["version", "runs"], **{"$schema": TEXT}, version={"const": "2.1.0"}, runs=array(RUN)),
}
