"""Starts `dray up` for a test and talks to it with the real kubectl."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRAY = pathlib.Path(os.environ.get('DRAY', ROOT / 'build/release/dray'))
DATA = ROOT / 'tests/data'


class Failure(AssertionError):
    """What a test found wrong."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def equal(found, wanted, what=''):
    check(found == wanted, f'{what}: expected {wanted!r}, found {found!r}')


def kubectl_path(minor):
    return subprocess.run([ROOT / 'tools/kubectl', str(minor)], check=True, capture_output=True, text=True).stdout.strip()


def eventually(probe, seconds=20, what=''):
    """Repeats `probe` until it returns something true; raises with its last exception or value."""
    deadline, last = time.monotonic() + seconds, None
    while time.monotonic() < deadline:
        try:
            last = probe()
            if last:
                return last
        except (Failure, subprocess.CalledProcessError, KeyError, IndexError) as error:
            last = error
        time.sleep(0.05)
    raise Failure(f'{what or "condition"} not met within {seconds} s; last: {last}')


class Dray:
    """A running `dray up`. Its folder holds data, kubeconfig and log, and goes away with it."""

    def __init__(self, *args, data=None, kubectl=32, ephemeral=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='dray-e2e-'))
        self.kubeconfig = self.folder / 'kubeconfig'
        self.data = data or self.folder / 'data'
        self.ephemeral = ephemeral
        self.args, self.minor = list(args), kubectl
        self.process = None
        self.start()

    def start(self):
        where = ['--ephemeral'] if self.ephemeral else ['--data-dir', str(self.data)]
        self.log = open(self.folder / 'log', 'a')
        self.process = subprocess.Popen([DRAY, 'up', '--listen', '127.0.0.1:0', '--kubeconfig', self.kubeconfig, *where,
                                         *self.args], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            if line.startswith('ready'):
                break
        else:
            self.process.wait()
            raise Failure(f'dray up ended with {self.process.returncode}: {self.output()}')

    def output(self):
        self.log.flush()
        return '\n'.join(self.lines) + (self.folder / 'log').read_text()[-2000:]

    def kubectl(self, *args, stdin=None, fails=False, timeout=60):
        """Standard output; with `fails`, the completed process of a call that must not succeed."""
        done = subprocess.run([kubectl_path(self.minor), '--kubeconfig', self.kubeconfig, '--cache-dir', self.folder / 'cache',
                               *map(str, args)], input=stdin, capture_output=True, text=True, timeout=timeout)
        if fails:
            check(done.returncode != 0, f'kubectl {args} was expected to fail:\n{done.stdout}')
            return done
        check(done.returncode == 0, f'kubectl {" ".join(map(str, args))}: {done.stderr}{done.stdout}')
        return done.stdout

    def get(self, *args):
        return json.loads(self.kubectl('get', *args, '-o', 'json'))

    def items(self, *args):
        return self.get(*args)['items']

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        """As Ctrl-C does; returns the seconds that it took."""
        started = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(timeout=30)
        self.process.stdout.close()
        return time.monotonic() - started

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)
