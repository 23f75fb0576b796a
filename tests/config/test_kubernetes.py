"""The manifests for Kubernetes say what the compose file and the image say; and the test that says so sees mistakes."""

import re
import shutil
import subprocess

import pytest

from config.environment import BASE_DIR
from tests.config.deployment.files import read_files
from tests.config.deployment.kubernetes import FOLDER, SECRETS, faults, read_manifests
from tests.written_yaml import read_yaml

WEB, WORKER, SETTINGS = "web.yaml", "worker.yaml", "settings.yaml"
OPERATIONS = (BASE_DIR / "docs/operations.md").read_text(encoding="utf-8")

# (file, what stands there, what somebody might write there)
MISTAKES = [
    (WEB, "config/gunicorn.py", "gunicorn.conf.py"),
    (WEB, "image: interrater", "image: interrater:latest"),
    (WEB, "runAsUser: 10001", "runAsUser: 1000"),
    (WEB, "runAsNonRoot: true", "runAsNonRoot: false"),
    (WEB, "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"),
    (WEB, "drop: [ALL]", "drop: []"),
    (WEB, "automountServiceAccountToken: false", "automountServiceAccountToken: true"),
    (WEB, "[python, config/probe.py, /readyz", "[python, config/probe.py, /healthz"),
    (WEB, "containerPort: 9100", "containerPort: 9101"),
    (WEB, "targetPort: http", "targetPort: metrics"),
    (WEB, 'prometheus.io/port: "9100"', 'prometheus.io/port: "8000"'),
    (WEB, "mountPath: /srv/media", "mountPath: /srv/files"),
    (WEB, "mountPath: /tmp", "mountPath: /var/tmp"),
    (WEB, "replicas: 2", 'replicas: "two"'),
    (WEB, "terminationGracePeriodSeconds", "terminationGracePeriod"),
    (WEB, "name: WEB_WORKERS", "name: WEB_CONCURRENCY"),
    (WEB, "              memory: 2Gi\n", "              cpu: 2\n"),
    (WORKER, "- --without-mingle\n", "- --without-mingling\n"),
    (WORKER, "liveness, worker]", "liveness, dispatcher]"),
    (WORKER, "terminationGracePeriodSeconds: 360", "terminationGracePeriodSeconds: 30"),
    (WORKER, "name: interrater\n", "name: interrater-admin\n"),
    (WORKER, "statement_timeout=300s", "statement_timeout=10s"),
    ("dispatcher.yaml", "dispatch_runs", "dispatch_run"),
    ("migrate.yaml", "- prepare", "- migrate"),
    ("migrate.yaml", "name: interrater-admin", "name: interrater-reader"),
    ("migrate.yaml", "claimName: backups", "claimName: backup"),
    ("backup.yaml", "name: interrater-reader", "name: interrater-admin"),
    ("backup.yaml", "- --keep", "- --keeps"),
    (SETTINGS, 'HTTPS: "1"', 'HTTPS: "0"'),
    (SETTINGS, 'RUN_LEASE: "60"', "RUN_LEASE: 60"),
    (SETTINGS, '  RUN_LEASE: "60"\n', ""),
    (SETTINGS, "TIME_ZONE: UTC", "TIMEZONE: UTC"),
    (SETTINGS, "data:\n", "data:\n  SECRET_KEY: changeme\n  DEBUG: '1'\n"),
    ("kustomization.yaml", "  - worker.yaml\n", ""),
    ("kustomization.yaml", 'newTag: "0.3.0"', "newTag: latest"),
    ("scaling.yaml", "    name: worker\n", "    name: workers\n"),
    ("scaling.yaml", 'threshold: "2"', 'threshold: "20"'),
    ("scaling.yaml", "max by (kind) (interrater_runs_queued)", "max by kind) (interrater_runs_queued)"),
    ("scaling.yaml", "minReplicaCount: 1", "minReplicaCount: 0"),
    ("network.yaml", "    - from:\n", "    - to:\n"),
    ("network.yaml", "  podSelector: {}\n", "  podSelector: {matchLabels: {app: web}}\n"),
]


def test_the_manifests_agree_with_compose_the_image_and_each_other():
    assert list(faults(read_manifests(), read_files())) == []


@pytest.mark.parametrize(("name", "right", "wrong"), MISTAKES)
def test_mistakes_are_seen(name: str, right: str, wrong: str):
    manifests = read_manifests()
    assert right in manifests[name]

    manifests[name] = manifests[name].replace(right, wrong)

    assert list(faults(manifests, read_files())) != []


def test_the_documents_say_how_each_secret_is_made():
    for secret, keys in SECRETS.items():
        found = re.search(
            rf"kubectl create secret generic {secret} .*?(?=\n\n|kubectl create)", OPERATIONS, re.DOTALL
        )
        assert found, secret
        assert set(re.findall(r"--from-literal=([A-Z0-9_]+)=", found[0])) == keys


def test_kubectl_reads_the_kustomization():
    if not (kubectl := shutil.which("kubectl")):
        pytest.skip("There is no kubectl.")

    done = subprocess.run(
        [kubectl, "kustomize", FOLDER], cwd=BASE_DIR, capture_output=True, text=True, check=False, timeout=60
    )

    assert done.returncode == 0, done.stderr
    built = [read_yaml(part) for part in done.stdout.split("\n---\n")]
    assert {each["metadata"].get("namespace") for each in built if each["kind"] != "Namespace"} == {
        "interrater"
    }
    assert not re.findall(r"image: interrater$", done.stdout, re.MULTILINE)
