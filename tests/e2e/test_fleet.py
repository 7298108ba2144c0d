"""Pods on fleets of GPUs: full fleets, restarts, kills."""
import json
import subprocess
import threading
import time

from harness import Dray, check, equal, eventually, kubectl_path

SEVEN_NODES = '''
groups:
- name: gpu
  count: 7
  cpu: 96
  memory: 1Ti
  devices:
  - profile: nvidia-h100
'''
CLASS = '''
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: nvidia-gpu}
spec:
  extendedResourceName: nvidia.com/gpu
  selectors: [{cel: {expression: "device.driver == 'gpu.nvidia.com'"}}]
'''
DEPLOYMENT = '''
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 50
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: example.com/web:1
        resources: {limits: {nvidia.com/gpu: 1}}
'''


def fleet_file(dray_folder, text):
    path = dray_folder / 'fleet.yaml'
    path.write_text(text)
    return path


def pods_by_phase(dray):
    phases = {}
    for pod in dray.items('pods', '-l', 'app=web'):
        phases.setdefault(pod['status'].get('phase', 'Pending'), []).append(pod)
    return phases


def devices_in_use(dray):
    """(driver, pool, device) of all allocations; each once."""
    used = []
    for claim in dray.items('resourceclaims', '-A'):
        for result in claim.get('status', {}).get('allocation', {}).get('devices', {}).get('results', []):
            used.append((result['driver'], result['pool'], result['device']))
    equal(len(used), len(set(used)), 'devices that are in two claims')
    return used


def test_a_full_fleet_says_why_and_goes_on(tmp=None):
    import pathlib
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        fleet = fleet_file(pathlib.Path(folder), SEVEN_NODES)
        with Dray('--fleet', fleet) as dray:
            dray.kubectl('apply', '-f', '-', stdin=CLASS + '---' + DEPLOYMENT)
            eventually(lambda: len(pods_by_phase(dray).get('Running', [])) == 50, 30, '50 pods running')
            dray.kubectl('scale', 'deployment/web', '--replicas=57')
            eventually(lambda: len(pods_by_phase(dray).get('Running', [])) == 56, 30, '56 pods running')
            pending = eventually(lambda: pods_by_phase(dray).get('Pending'), what='a pending pod')
            equal(len(pending), 1, 'pending pods')
            name = pending[0]['metadata']['name']

            def refused():
                events = dray.items('events', '--field-selector', f'involvedObject.name={name},reason=FailedScheduling')
                return events and events[-1]['message']
            message = eventually(refused, what='an event that says why')
            check(message.startswith('0/7 nodes are available: 7 '), message)
            equal(len(devices_in_use(dray)), 56, 'devices in use')
            victim = next(p for p in dray.items('pods', '-l', 'app=web') if p['status'].get('phase') == 'Running')
            started = time.monotonic()
            dray.kubectl('scale', 'deployment/web', '--replicas=57')  # nothing to do; warms the client
            dray.kubectl('delete', 'pod', victim['metadata']['name'], '--wait=false')
            eventually(lambda: dray.get('pod', name)['status'].get('phase') == 'Running', 5, 'the pending pod runs')
            check(time.monotonic() - started < 5, 'the freed device was used late')
            devices_in_use(dray)


POD = {'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'labels': {'app': 'web'}},
       'spec': {'containers': [{'name': 'main', 'image': 'x', 'resources': {'limits': {'nvidia.com/gpu': '1'}}}]}}


def test_kill_in_a_burst_loses_nothing():
    import pathlib
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        fleet = fleet_file(pathlib.Path(folder), SEVEN_NODES.replace('count: 7', 'count: 70'))
        with Dray('--fleet', fleet) as dray:
            dray.kubectl('apply', '-f', '-', stdin=CLASS)
            acknowledged = []

            def burst():
                """Creates pods one by one through one connection, and notes those that were acknowledged."""
                import http.client
                import ssl
                import yaml
                config = yaml.safe_load(dray.kubeconfig.read_text())
                server = config['clusters'][0]['cluster']['server']
                token = config['users'][0]['user']['token']
                connection = http.client.HTTPSConnection(server.split('//')[1], context=ssl._create_unverified_context())
                for i in range(500):
                    pod = json.loads(json.dumps(POD))
                    pod['metadata']['name'] = f'burst-{i}'
                    try:
                        connection.request('POST', '/api/v1/namespaces/default/pods', json.dumps(pod),
                                           {'Content-Type': 'application/json', 'Authorization': f'Bearer {token}'})
                        answer = connection.getresponse()
                        answer.read()
                        if answer.status == 201:
                            acknowledged.append(f'burst-{i}')
                    except OSError:
                        return
                    except http.client.HTTPException:
                        return
            thread = threading.Thread(target=burst)
            thread.start()
            eventually(lambda: len(acknowledged) > 200, what='the middle of the burst')
            dray.kill()
            thread.join()
            check(len(acknowledged) < 500, 'the kill came too late to test anything')
            dray.start()
            found = {p['metadata']['name'] for p in dray.items('pods', '-l', 'app=web')}
            equal(sorted(set(acknowledged) - found), [], 'acknowledged pods that are gone')
            devices_in_use(dray)
            rest = [dict(POD, metadata={'name': f'burst-{i}', 'labels': {'app': 'web'}}) for i in range(500)
                    if f'burst-{i}' not in found]
            dray.kubectl('create', '-f', '-', stdin=json.dumps({'apiVersion': 'v1', 'kind': 'List', 'items': rest}))
            eventually(lambda: len(pods_by_phase(dray).get('Running', [])) == 500, 60, 'all 500 pods run')
            equal(len(devices_in_use(dray)), 500, 'devices in use')


def test_stops_within_two_seconds_and_starts_again():
    with Dray() as dray:
        dray.kubectl('create', 'configmap', 'kept', '--from-literal=a=b')
        check(dray.stop() < 2, 'Ctrl-C took more than 2 s')
        equal(dray.process.returncode, 0, 'exit status')
        dray.start()
        equal(dray.get('configmap', 'kept')['data'], {'a': 'b'}, 'data after a restart')


def test_a_second_start_leaves_the_data_alone():
    from harness import DRAY
    with Dray() as dray:
        done = subprocess.run([DRAY, 'up', '--data-dir', dray.data, '--listen', '127.0.0.1:0'], capture_output=True, text=True,
                              timeout=20)
        equal(done.returncode, 1, 'exit status of the second start')
        check(str(dray.data) in done.stderr, f'the directory is not named: {done.stderr}')
        dray.kubectl('get', 'ns')
