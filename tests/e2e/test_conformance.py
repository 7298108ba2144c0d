"""Answers and decisions recorded from a real Kubernetes 1.37.2 control plane, asked of `dray up`.

tests/conformance/*/not-yet.txt names the cases that do not hold yet, one a line with its area before the slash. A case
that fails and is not there is played once more alone (waits of real seconds can run out on a busy machine); if it
fails again, the test fails. Cases that are there and hold are printed: they can be taken out.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

from harness import DATA, ROOT, Dray, check, kubectl_path

CONFORMANCE = ROOT / 'tests/conformance'


def not_yet(area):
    path = CONFORMANCE / area / 'not-yet.txt'
    lines = path.read_text().splitlines() if path.exists() else []
    return {line.split('#')[0].strip() for line in lines if line.split('#')[0].strip()}


def judge(area, ran, failed):
    """Compares what failed with what is known not to hold yet, and says how much of each area that is."""
    known = not_yet(area)
    if os.environ.get('UPDATE'):
        keep = sorted((known - ran) | failed)
        (CONFORMANCE / area / 'not-yet.txt').write_text(''.join(f'{name}\n' for name in keep))
        known = set(keep)
    areas = collections.Counter(re.split(r'[/-]', name)[0] for name in known & ran)
    print(f'     {area}: {len(ran) - len(failed)} of {len(ran)} cases hold; not yet: '
          + (', '.join(f'{name} {count}' for name, count in sorted(areas.items())) or 'none'), flush=True)
    check(not failed - known, f'{area}: these held before: {sorted(failed - known)}')
    if stale := (known & ran) - failed:
        print(f'     {area}: these hold now and can be taken out of not-yet.txt: {" ".join(sorted(stale))}', flush=True)


def replay(area, dray, *args):
    """(names that ran, names that failed), with a second try for those that are expected to hold."""
    ran, failed = replay_once(area, dray, *args)
    if surprising := failed - not_yet(area):
        names = '|'.join(re.escape(name) for name in sorted(surprising))
        _, failed_again = replay_once(area, dray, '--only', f'^({names})$', *args)
        failed = (failed - surprising) | (failed_again & surprising)
    return ran, failed


def replay_once(area, dray, *args):
    done = subprocess.run([sys.executable, CONFORMANCE / area / 'replay.py', '--kubeconfig', dray.kubeconfig, '-v', *map(str, args)],
                          capture_output=True, text=True, timeout=1500)
    lines = done.stdout.splitlines()
    summary = next((line for line in reversed(lines) if re.match(r'\d+ passed, \d+ failed', line)), None)
    check(summary, f'{area}: the replay tool ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}')
    passed = {m.group(1) for line in lines if (m := re.match(r'(?:PASS|ok|pass)\w*:?\s+(.+?)(?:\s+\(.*\))?$', line))}
    failed = {m.group(1) for line in lines if (m := re.match(r'(?:FAIL|not ok)\w*:?\s+(.+?)(?:\s+\(.*\))?$', line))}
    return passed | failed, failed


GATES = ('DRADerivedAttributes,DRADeviceCompatibilityGroups,DRAListTypeAttributes,DRANodeAllocatableResources,DRAOptionalNodeOperations,'
         'DRAPartitionableDevicesType,DRAResourcePoolStatus,DRAWorkloadResourceClaims,DRAFractionalCapacityRange,GenericWorkload,'
         'CompositePodGroup,PodGroupPreemptionPolicy,TopologyAwareWorkloadScheduling,WorkloadWithJob').split(',')
VERSIONS = ('resource.k8s.io/v1beta1,resource.k8s.io/v1beta2,resource.k8s.io/v1alpha3,scheduling.k8s.io/v1beta1,'
            'scheduling.k8s.io/v1alpha3').split(',')


def on(names):
    return ','.join(f'{name}=true' for name in names)


def test_api_answers():
    files = sorted((DATA / 'conformance/api').glob('*.jsonl'))
    check(files, 'no recorded conversations')
    kubectl = kubectl_path(32)
    ran, failed = set(), set()
    for args, options in ((['--without', 'scheduler,controllers'], []),
                          (['--without', 'scheduler,controllers', '--feature-gates', on(GATES), '--runtime-config', on(VERSIONS)],
                           ['--gates'])):
        with Dray('--fleet', 'none', *args, ephemeral=True) as dray:
            more, wrong = replay('api', dray, *options, '--kubectl', kubectl, '-j', 4, *files)
            ran |= more
            failed |= wrong
    judge('api', ran, failed)


SCHEDULING_GATES = [
    ([], []),
    (['DRAWorkloadResourceClaims', 'GenericWorkload'], ['scheduling.k8s.io/v1beta1']),
    (['CompositePodGroup', 'DRAWorkloadResourceClaims', 'GenericWorkload', 'PodGroupPreemptionPolicy',
      'TopologyAwareWorkloadScheduling', 'WorkloadWithJob'], ['scheduling.k8s.io/v1beta1', 'scheduling.k8s.io/v1alpha3']),
    (['DRADerivedAttributes', 'DRADeviceCompatibilityGroups', 'DRAFractionalCapacityRange', 'DRAListTypeAttributes',
      'DRANodeAllocatableResources', 'DRAOptionalNodeOperations'], []),
]


def test_scheduling_decisions():
    folder = DATA / 'conformance/scheduling'
    check(folder.is_dir(), 'no recorded scenarios')
    ran, failed = set(), set()
    for gates, versions in SCHEDULING_GATES:
        args, options = ['--fleet', 'none'], []
        if gates:
            args += ['--feature-gates', on(gates)]
            options = ['--gates', on(gates)]
        if versions:
            args += ['--runtime-config', on(versions)]
        with Dray(*args, ephemeral=True) as dray:
            more, wrong = replay('scheduling', dray, *options, folder)
            ran |= more
            failed |= wrong
    judge('scheduling', ran, failed)
