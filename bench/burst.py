#!/usr/bin/env python3
"""The burst load against `dray up --fleet none` and against Kubernetes 1.37.2, one after the other.

Usage: burst.py [--modes claims,extended,plain] [--nodes 500] [--pods 2000] [--init 500] [--no-peer]
Needs Go; builds the peer into ~/.cache/kubernetes-1.37 if it is not there (8 minutes on 2 cores).
Prints a line a run, then the ratios.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / 'bench/peers'


def build_burst():
    target = ROOT / '.cache/burst'
    subprocess.run(['go', 'build', '-o', target, '.'], cwd=PEERS / 'burst', check=True, env={**os.environ, 'GOFLAGS': '-mod=mod'})
    return target


def wait_for(process, start):
    for line in process.stdout:
        if line.startswith(start):
            return
    raise SystemExit(f'{process.args[0]} did not start')


class Plane:
    """One control plane, started afresh for a run."""

    def __init__(self, name):
        self.name, self.folder = name, pathlib.Path(tempfile.mkdtemp(prefix='burst-'))

    def __enter__(self):
        if self.name == 'dray':
            self.kubeconfig = self.folder / 'kubeconfig'
            command = [ROOT / 'build/release/dray', 'up', '--fleet', 'none', '--listen', '127.0.0.1:0', '--data-dir',
                       self.folder / 'data', '--kubeconfig', self.kubeconfig]
        else:
            self.kubeconfig = self.folder / 'kubeconfig'
            command = ['bash', PEERS / 'kubernetes/up', self.folder]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, 'PORT': '16443'})
        wait_for(self.process, 'ready')
        time.sleep(0 if self.name == 'dray' else 5)  # the peer's caches fill after it says ready
        return self

    def memory_mb_max(self):
        status = pathlib.Path(f'/proc/{self.process.pid}/status').read_text()
        return int(next(l for l in status.splitlines() if l.startswith('VmHWM')).split()[1]) // 1024

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


def measure(burst, plane_name, mode, args):
    with Plane(plane_name) as plane:
        done = subprocess.run([burst, '-kubeconfig', plane.kubeconfig, '-mode', mode, '-nodes', str(args.nodes), '-init', str(args.init),
                               '-pods', str(args.pods), '-devices', str(args.devices), '-label', plane_name],
                              capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f'{plane_name} {mode}: {done.stderr}')
        result = json.loads(done.stdout)
        if plane_name == 'dray':
            result['memory_mb_max'] = plane.memory_mb_max()
        print(json.dumps(result), flush=True)
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--modes', default='claims,extended,plain')
    parser.add_argument('--nodes', type=int, default=500)
    parser.add_argument('--devices', type=int, default=10)
    parser.add_argument('--init', type=int, default=500)
    parser.add_argument('--pods', type=int, default=2000)
    parser.add_argument('--no-peer', action='store_true', help='measure dray alone')
    args = parser.parse_args()
    burst = build_burst()
    planes = ['dray'] if args.no_peer else ['dray', 'kubernetes']
    if not args.no_peer:
        subprocess.run(['bash', PEERS / 'kubernetes/build'], check=True, stdout=subprocess.DEVNULL)
    for mode in args.modes.split(','):
        rates = {plane: measure(burst, plane, mode, args)['pods_per_s'] for plane in planes}
        if len(rates) == 2:
            print(f'{mode}: {rates["dray"]:.0f} pods/s, the reference {rates["kubernetes"]:.0f}: {rates["dray"] / rates["kubernetes"]:.1f} x')


if __name__ == '__main__':
    main()
