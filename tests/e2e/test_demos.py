"""The demos of the public DRA example driver, applied as they are, on the sample fleet."""
import re

from harness import DATA, Dray, check, equal, eventually

DEMOS = DATA / 'manifests/dra-example-driver'

# demo: GPU_DEVICE variables per pod and container, as its file's header (or the driver's README) promises
PROMISED = {
    'basic-resourceclaimtemplate': {'pod0/ctr0': 1, 'pod1/ctr0': 1},
    'basic-multiple-requests': {'pod0/ctr0': 2},
    'basic-shared-claim-across-containers': {'pod0/ctr0': 1, 'pod0/ctr1': 1},
    'basic-shared-claim-across-pods': {'pod0/ctr0': 1, 'pod1/ctr0': 1},
    'basic-resourceclaim-opaque-config': {f'pod0/{c}': 1 for c in ('ts-ctr0', 'ts-ctr1', 'sp-ctr0', 'sp-ctr1')},
    'cel-selector': {'pod0/ctr0': 1},
}


def devices_in_log(dray, namespace, pod, container):
    log = dray.kubectl('logs', '-n', namespace, pod, '-c', container)
    return re.findall(r'^declare -x (GPU_DEVICE_\d+)="(.+)"$', log, re.M)


def test_demos_of_the_example_driver():
    with Dray() as dray:
        for demo, promised in PROMISED.items():
            dray.kubectl('apply', '-f', DEMOS / demo)
            pods = {place.split('/')[0] for place in promised}

            def running():
                found = {p['metadata']['name']: p['status'].get('phase') for p in dray.items('pods', '-n', demo)}
                return all(found.get(pod) == 'Running' for pod in pods)
            eventually(running, what=f'pods of {demo} running')
            table = dray.kubectl('get', 'resourceclaims', '-n', demo, '--no-headers')
            for line in table.splitlines():
                equal(line.split()[1], 'allocated,reserved', f'state of a claim of {demo}')
            for place, count in promised.items():
                pod, container = place.split('/')
                found = devices_in_log(dray, demo, pod, container)
                equal(len(found), count, f'GPU_DEVICE variables of {demo} {place}')


def test_opaque_configuration_reaches_the_container():
    with Dray() as dray:
        demo = 'basic-resourceclaim-opaque-config'
        dray.kubectl('apply', '-f', DEMOS / demo)
        eventually(lambda: dray.get('pod', '-n', demo, 'pod0')['status'].get('phase') == 'Running')
        shared = dray.kubectl('logs', '-n', demo, 'pod0', '-c', 'ts-ctr0')
        check('_TIMESLICE_INTERVAL="Long"' in shared, shared)
        split = dray.kubectl('logs', '-n', demo, 'pod0', '-c', 'sp-ctr1')
        check('_PARTITION_COUNT="10"' in split, split)


def test_quickstart():
    with Dray() as dray:
        dray.kubectl('apply', '-f', DATA.parents[1] / 'examples/quickstart')
        dray.kubectl('rollout', 'status', 'deployment/inference', '--timeout=20s')
        for pod in dray.items('pods', '-l', 'app=inference'):
            status = pod['status']['extendedResourceClaimStatus']
            claim = dray.get('resourceclaim', status['resourceClaimName'])
            equal(len(claim['status']['allocation']['devices']['results']), 1, 'devices of a pod')
            log = dray.kubectl('logs', pod['metadata']['name'])
            check('NVIDIA_VISIBLE_DEVICES="GPU-' in log, log)
