"""What people get wrong: each file in bad/ is refused, with the whole answer as a golden file, and changes nothing."""
import os
import pathlib
import re

from harness import Dray, check, equal

BAD = pathlib.Path(__file__).parent / 'bad'


def shown(text, path):
    """The answer without what differs from run to run."""
    return re.sub(r'127\.0\.0\.1:\d+', '127.0.0.1:PORT', text).replace(str(path), path.name)


def test_each_bad_manifest_is_refused_in_words_that_help():
    wrong = []
    with Dray('--fleet', 'none', '--feature-gates', 'GenericWorkload=true', '--runtime-config', 'scheduling.k8s.io/v1beta1=true',
              ephemeral=True, kubectl=35) as dray:
        before = dray.kubectl('get', '--raw', '/api/v1/pods')
        for path in sorted(BAD.glob('*.yaml')):
            done = dray.kubectl('create', '-f', path, fails=True)
            equal(done.returncode, 1, f'exit status of {path.name}')
            answer, golden = shown(done.stderr, path), path.with_suffix('.out')
            if os.environ.get('UPDATE'):
                golden.write_text(answer)
            elif not golden.exists() or golden.read_text() != answer:
                wrong.append(f'{path.name}\n- {golden.read_text() if golden.exists() else ""}+ {answer}')
        after = dray.kubectl('get', '--raw', '/api/v1/pods')
        equal(re.sub(r'"resourceVersion":"\d+"', '', after), re.sub(r'"resourceVersion":"\d+"', '', before), 'pods')
        for kind in ('deployments', 'jobs', 'resourceclaims', 'resourceclaimtemplates', 'deviceclasses', 'resourceslices', 'podgroups'):
            equal(dray.items(kind, '-A'), [], kind)
    check(not wrong, '\n'.join(wrong))
