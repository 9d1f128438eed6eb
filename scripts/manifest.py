#!/usr/bin/env python3
"""Prints databases/manifest.json: content hash and counts of every table of a directory.

    scripts/manifest.py PROGRAM DIRECTORY > databases/manifest.json

Each table is read through first (`awari build` does that to those that are there), so a damaged one is
an error and not listed. The hash is SHA-256 over the values, one signed byte a position in the order of
the index, whatever the encoding of the file.
"""

import json
import pathlib
import subprocess
import sys

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
tables = []
for rules in ("awari", "abapa", "slam-ends"):
    names = [path.stem for path in (directory / rules).glob("*.awari")]
    if not names:
        continue
    most = str(max(int(name) for name in names))
    command = [program, "--dir", str(directory), "build", "--json", "--rules", rules, "--stones", most]
    output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    for line in output.stdout.splitlines():
        table = json.loads(line)
        keys = ("rules", "stones", "positions", "win", "draw", "loss", "content_hash")
        tables.append({key: table[key] for key in keys})

version = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
rows = ",\n".join("    " + json.dumps(table) for table in tables)
print(f'{{\n  "built_by": "{version}",\n  "tables": [\n{rows}\n  ]\n}}')
