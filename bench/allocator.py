#!/usr/bin/env python3
"""The allocator beside the reference's: the same inputs, the same machine, one run; prints ratios.

Needs Go and the oracle's sources (ORACLE, default ../shared/oracle); without them only ours is measured,
on inputs that were written before. Times are processor times, which a busy machine disturbs less; --wall
compares wall-clock times.

Usage: bench/allocator.py [--time SECONDS] [--run REGEXP] [--bin PROGRAM] [--inputs DIR]
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# What is asked for at least: (pattern, how many times faster or microseconds at most).
TARGETS = [
    (r"^fleet/500-nodes/one-pool$", 1000, None),
    (r"^fleet/", 200, None),
    (r"^infeasible/", None, 1000.0),
    (r"^partitions/", 20, None),
    (r"^cel/together/call$", 50, None),
]


def lines(text):
    return {m["bench"]: m for m in map(json.loads, filter(None, text.splitlines()))}


def oracle_program(folder):
    sources = os.environ.get("ORACLE", "../shared/oracle")
    if shutil.which("go") is None or not os.path.isdir(sources):
        return None
    copy = os.path.join(folder, "oracle")
    shutil.copytree(sources, copy)
    for root, _, files in os.walk(copy):
        os.chmod(root, 0o755)
        for name in files:
            os.chmod(os.path.join(root, name), 0o644)
    subprocess.run(["go", "build", "."], cwd=copy, check=True)
    return os.path.join(copy, "oracle")


def human(ns):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if ns >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", default="1")
    parser.add_argument("--run", default="")
    parser.add_argument("--bin", default="build/release/allocator_bench")
    parser.add_argument("--oracle", help="a built oracle")
    parser.add_argument("--inputs", help="inputs that were written before")
    parser.add_argument("--wall", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        oracle = options.oracle or oracle_program(folder)
        inputs = options.inputs or os.path.join(folder, "inputs")
        if oracle:
            subprocess.run([oracle, "bench", "-emit", inputs, "-run", options.run], check=True)
        elif not os.path.isdir(inputs):
            sys.exit("neither Go with the oracle's sources nor inputs are here")
        ours = lines(subprocess.run([options.bin, "-time", options.time, inputs], check=True,
                                    stdout=subprocess.PIPE, text=True).stdout)
        theirs = {}
        if oracle:
            theirs = lines(subprocess.run([oracle, "bench", "-time", options.time + "s", "-run", options.run],
                                          check=True, stdout=subprocess.PIPE, text=True).stdout)
    key = "ns_per_op" if options.wall else "cpu_ns_per_op"
    print(f"{'bench':46} {'reference':>10} {'dray':>10} {'ratio':>9} {'allocs':>16}  target")
    missed = 0
    for name, mine in sorted(ours.items()):
        other = theirs.get(name)
        ratio = other[key] / mine[key] if other else None
        verdict = ""
        for pattern, times, micros in TARGETS:
            if re.search(pattern, name):
                met = (mine[key] / 1000 <= micros) if micros else (ratio is None or ratio >= times)
                verdict = (f"{times}x" if times else f"{micros:g} µs") + ("" if met else "  MISSED")
                missed += not met
                break
        allocs = f"{other['allocs']:.0f} -> {mine['allocs']:.0f}" if other else f"{mine['allocs']:.0f}"
        print(f"{name:46} {human(other['ns_per_op']) if other else '-':>10} {human(mine['ns_per_op']):>10} "
              f"{f'{ratio:.0f}x' if ratio else '-':>9} {allocs:>16}  {verdict}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
