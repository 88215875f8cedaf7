"""Runs inside the xprof toolchain: an .xplane.pb in, XProf's own tables out as one JSON object on stdout."""

import json
import sys

from xprof.convert import raw_to_tool_data

TOOLS = ("overview_page", "hlo_stats", "input_pipeline_analyzer")


def main(path):
    """Print {tool: tables} for the tools that XProf can make of this profile."""
    tables = {}
    for tool in TOOLS:
        data, _ = raw_to_tool_data.xspace_to_tool_data([path], tool, {})
        if data:
            tables[tool] = json.loads(data)
    json.dump(tables, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
