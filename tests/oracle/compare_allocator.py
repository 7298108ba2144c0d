#!/usr/bin/env python3
"""Compares our allocator with the reference's on generated questions: result, kind of error, allocations.

Needs Go and the oracle's sources (ORACLE, default ../shared/oracle). Differences are printed with their
question, so that they can become tests.

Usage: tests/oracle/compare_allocator.py [--cases N] [--seed N] [--bin "build/release/dray allocate --json-lines"]
"""
import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

BATCH = 1000


def build(folder):
    sources = os.environ.get("ORACLE", "../shared/oracle")
    if shutil.which("go") is None or not os.path.isdir(sources):
        print("skipped: neither Go nor the oracle's sources are here")
        sys.exit(0)
    copy = os.path.join(folder, "oracle")
    shutil.copytree(sources, copy)
    for root, _, files in os.walk(copy):
        os.chmod(root, 0o755)
        for name in files:
            os.chmod(os.path.join(root, name), 0o644)
    subprocess.run(["go", "build", "."], cwd=copy, check=True)
    return os.path.join(copy, "oracle")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1000, help="of the first batch; the next has the next one")
    parser.add_argument("--bin", default="build/release/dray allocate --json-lines")
    parser.add_argument("--oracle", help="a built oracle")
    parser.add_argument("--timeout", default="10s", help="of the reference, per node")
    parser.add_argument("--keep", help="folder for the questions of batches with differences")
    options = parser.parse_args()
    failed = done = 0
    with tempfile.TemporaryDirectory() as folder:
        oracle = options.oracle or build(folder)
        questions, answers = os.path.join(folder, "q.jsonl"), os.path.join(folder, "a.jsonl")
        for seed in range(options.seed, options.seed + (options.cases + BATCH - 1) // BATCH):
            with open(questions, "wb") as out:
                subprocess.run([oracle, "generate", "-seed", str(seed), "-count", str(BATCH), "-timeout",
                                options.timeout], stdout=out, stderr=subprocess.DEVNULL, check=True)
            with open(questions, "rb") as lines, open(answers, "wb") as out:
                subprocess.run(shlex.split(options.bin), stdin=lines, stdout=out, check=True)
            checked = subprocess.run([oracle, "check", "-answers", answers, questions], text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            done += BATCH
            print(f"seed {seed}: {checked.stdout.strip().splitlines()[-1 if checked.returncode == 0 else -2]}",
                  flush=True)
            if checked.returncode != 0:
                failed += 1
                print(checked.stdout, flush=True)
                if options.keep:
                    os.makedirs(options.keep, exist_ok=True)
                    shutil.copy(questions, os.path.join(options.keep, f"seed-{seed}.jsonl"))
    print(f"{done} cases, {failed} batches with differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
