#!/usr/bin/env python3
"""The end-to-end tests: a real kubectl against `dray up`.

Usage: run.py [REGEX]     runs the tests whose name matches; ends with `N passed, N failed`
       run.py --list
Environment: DRAY (the binary), UPDATE=1 (rewrite golden files)
"""
import importlib
import pathlib
import re
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from harness import Failure  # noqa: E402


def tests():
    for path in sorted(HERE.glob('test_*.py')):
        module = importlib.import_module(path.stem)
        for name, function in list(vars(module).items()):
            if name.startswith('test_') and callable(function):
                yield f'{path.stem[5:]}/{name[5:]}', function


def main():
    if '--list' in sys.argv:
        print('\n'.join(name for name, _ in tests()))
        return 0
    pattern = re.compile(sys.argv[1] if len(sys.argv) > 1 else '')
    passed, failed = 0, []
    for name, function in tests():
        if not pattern.search(name):
            continue
        started = time.monotonic()
        try:
            function()
        except Exception as error:  # a test may fail in any way
            failed.append(name)
            detail = str(error) if isinstance(error, Failure) else traceback.format_exc()
            print(f'FAIL {name} ({time.monotonic() - started:.1f} s)\n{detail}', flush=True)
        else:
            passed += 1
            print(f'ok   {name} ({time.monotonic() - started:.1f} s)', flush=True)
    print(f'{passed} passed, {len(failed)} failed' + (': ' + ', '.join(failed) if failed else ''))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
