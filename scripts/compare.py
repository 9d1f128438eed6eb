#!/usr/bin/env python3
"""Compares what the program says of the tables in a directory with published and independent values.

    scripts/compare.py PROGRAM DIRECTORY

DIRECTORY holds the tables and stats-RULES.jsonl, the output of `awari stats --json`, for each rule set,
and the same tables in DIRECTORY/compressed, which scripts/read_table.py reads.
"""

import csv
import json
import pathlib
import subprocess
import sys

program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
data = pathlib.Path(__file__).parent.parent / "tests" / "data"
passed = failed = 0


def check(what, found, expected):
    global passed, failed
    if found == expected:
        passed += 1
    else:
        failed += 1
        print(f"{what}: found {found}, expected {expected}", file=sys.stderr)


def rows(name):
    lines = [line for line in (data / name).read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


stats = {}
for path in directory.glob("stats-*.jsonl"):
    for line in path.read_text().splitlines():
        table = json.loads(line)
        stats[table["rules"], table["stones"]] = table

for row in rows("awari_counts.tsv"):
    table = stats.get(("awari", int(row["stones"])))
    if table:
        what = f"awari, {row['stones']} stones"
        check(f"{what}: stored", table["stored"]["positions"], int(row["stored"]))
        found = [table["all"][key] for key in ("positions", "win", "draw", "loss", "sum")]
        expected = [int(row[key]) for key in ("boards", "win", "draw", "loss", "sum_of_values")]
        check(f"{what}: all boards", found, expected)

histograms = {}
for row in rows("awari_histograms.tsv"):
    histograms.setdefault(int(row["stones"]), {})[row["value"]] = int(row["boards"])
for stones, histogram in histograms.items():
    table = stats.get(("awari", stones))
    if table:
        found = {value: boards for value, boards in table["all"]["histogram"].items() if boards}
        check(f"awari, {stones} stones: histogram", found, histogram)

for row in rows("variant_counts.tsv"):
    table = stats.get((row["rules"], int(row["stones"])))
    if table:
        found = [table["all"][key] for key in ("positions", "win", "draw", "loss")]
        expected = [int(row[key]) for key in ("boards", "win", "draw", "loss")]
        check(f"{row['rules']}, {row['stones']} stones", found, expected)
        depth = table["all"].get("depth")
        if depth:
            found = [depth[key] for key in ("max", "sum")]
            expected = [int(row[key]) for key in ("max_depth", "sum_of_depths")]
            check(f"{row['rules']}, {row['stones']} stones: depths", found, expected)

most = {}
for rules, stones in stats:
    most[rules] = max(stones, most.get(rules, 0))
positions = [json.loads(line) for line in (data / "positions.jsonl").read_text().splitlines()]
for rules in most:
    asked = [p for p in positions if p["rules"] == rules and sum(p["board"]) <= most[rules]]
    boards = "\n".join(" ".join(map(str, p["board"])) for p in asked)
    command = [program, "--dir", str(directory), "probe", "-", "--json", "--rules", rules]
    answers = subprocess.run(command, input=boards, capture_output=True, text=True, check=True).stdout
    reader = pathlib.Path(__file__).parent / "read_table.py"
    command = [sys.executable, reader, "--dir", directory / "compressed", "--rules", rules, "--jsonl", "-"]
    questions = "\n".join(map(json.dumps, asked))
    read = subprocess.run(command, input=questions, capture_output=True, text=True, check=True).stdout
    for position, line, read_line in zip(asked, answers.splitlines(), read.splitlines(), strict=True):
        answer, read_answer = json.loads(line), json.loads(read_line)
        found = [read_answer["value"], read_answer["depth"]]
        check(f"{rules}: {position['board']}: read_table.py", found, [position["value"], answer["depth"]])
        what = f"{rules}: {position['board']}"
        check(f"{what}: value", answer["value"], position["value"])
        found = [[m["pit"], m["captured"], m["value"]] for m in answer["moves"]]
        expected = [["ABCDEF"[m["pit"]], m["captured"], m["value"]] for m in position["moves"]]
        check(f"{what}: moves", found, expected)
        found = [[m["pit"], m["reason"]] for m in answer["illegal"]]
        expected = [["ABCDEF"[m["pit"]], m["reason"]] for m in position["illegal"]]
        check(f"{what}: illegal", found, expected)

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
