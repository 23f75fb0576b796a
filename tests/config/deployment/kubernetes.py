"""Reads the manifests for Kubernetes, and lists where they disagree with the compose file, the image, or each other."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import kubernetes_validate
import promql_parser
import yaml

from config.environment import BASE_DIR
from tests.config.deployment.files import Files
from tests.config.deployment.services import command_faults
from tests.config.deployment.variables import FOREIGN, read_variables
from tests.written_yaml import LOADER, read_yaml

FOLDER = "deploy/kubernetes"
KUSTOMIZATION = "kustomization.yaml"
# Kinds that Kubernetes itself does not have.
EXTENSIONS = {"ScaledObject"}
# The Secrets, by what they hold; docs/operations.md says how they are made. Each may hold less.
SECRETS = {
    "interrater": {
        "SECRET_KEY",
        "DATABASE_URL",
        "BROKER_URL",
        "EMAIL_URL",
        "MEDIA_S3_ACCESS_KEY",
        "MEDIA_S3_SECRET_KEY",
        "MODEL_KEY",
    },
    "interrater-admin": {"ADMIN_DATABASE_URL", "READER_DATABASE_URL", "OWNER_NAME", "OWNER_PASSWORD"},
    "interrater-reader": {"DATABASE_URL"},
}
# The programs that are given more than the Secret of all.
MORE_SECRETS = {"migrate": {"interrater-admin"}, "backup": {"interrater-reader"}}
# Many web servers: they share connections, and are asked by Prometheus.
OTHERWISE = {"web": {"WEB_CONNECTIONS": "4", "METRICS_BIND": "0.0.0.0:9100"}}
HARDENED = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}


def read_manifests() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in (BASE_DIR / FOLDER).glob("*.yaml")}


@dataclass(frozen=True)
class Program:
    """A program of ours: its pod and the container in it."""

    name: str
    kind: str
    spec: Any
    pod: Any

    @property
    def container(self) -> Any:
        [found] = self.pod["spec"]["containers"]
        return found

    @property
    def secrets(self) -> set[str]:
        return {each["secretRef"]["name"] for each in self.container["envFrom"] if "secretRef" in each}

    @property
    def variables(self) -> dict[str, str]:
        return {each["name"]: each["value"] for each in self.container.get("env", [])}

    @property
    def mounts(self) -> dict[str, str]:
        return {each["mountPath"]: each["name"] for each in self.container["volumeMounts"]}


def faults(manifests: Mapping[str, str], files: Files) -> Iterator[str]:
    documents = [
        document
        for name, text in manifests.items()
        if name != KUSTOMIZATION
        for document in yaml.load_all(text, Loader=LOADER)
    ]
    compose = read_yaml(files["docker-compose.yml"])
    yield from _kustomization(manifests)
    yield from _schemas(documents)
    programs = {program.name: program for program in programs_in(documents)}
    if missing := {"web", "worker", "dispatcher", "migrate", "backup"} - programs.keys():
        yield f"missing: {missing}"
        return
    [settings] = [each["data"] for each in documents if each["kind"] == "ConfigMap"]
    for program in programs.values():
        yield from _command(program, compose)
        yield from _environment(program, settings, compose)
        yield from _hardening(program, files)
        yield from _volumes(program, documents, compose)
    yield from _probes(programs, compose, files)
    yield from _ports(programs["web"], documents, files)
    yield from _scaling(programs["worker"], documents)


def programs_in(documents: list[Any]) -> Iterator[Program]:
    for each in documents:
        spec = each.get("spec", {})
        pod = (spec.get("jobTemplate", {}).get("spec") or spec).get("template")
        if pod:
            yield Program(each["metadata"]["name"], each["kind"], spec, pod)


def _kustomization(manifests: Mapping[str, str]) -> Iterator[str]:
    listed = read_yaml(manifests[KUSTOMIZATION])
    if set(listed["resources"]) != manifests.keys() - {KUSTOMIZATION}:
        yield "kustomization.yaml does not list the files that are there"
    [image] = listed["images"]
    if image["name"] != "interrater" or image.get("newTag", "latest") == "latest":
        yield "kustomization.yaml does not name the version of our image"


def _schemas(documents: list[Any]) -> Iterator[str]:
    for document in documents:
        if document["kind"] in EXTENSIONS:
            continue
        if message := _schema_fault(json.dumps(document)):
            yield f"{document['kind']} {document['metadata']['name']}: {message}"


@cache
def _schema_fault(document: str) -> str:
    """Cached, because the schemas are large and most documents are read again and again."""
    try:
        kubernetes_validate.validate(json.loads(document), kubernetes_validate.latest_version(), strict=True)
    except kubernetes_validate.ValidationError as error:
        return str(error.message)
    return ""


def _command(program: Program, compose: Any) -> Iterator[str]:
    name, container = program.name, program.container
    wanted = [resolved(str(word)) for word in compose["services"][name]["command"]]
    # It ends, and the cluster starts the next.
    if name == "backup" and "--every" in wanted:
        del wanted[(at := wanted.index("--every")) : at + 2]
    if container.get("args") != wanted:
        yield f"{name} runs {container.get('args')}, compose {wanted}"
    if "command" in container or container["image"] != "interrater":
        yield f"{name} does not start as the image does"
    yield from command_faults(name, container.get("args", []))
    lasts = program.kind == "Deployment"
    if lasts != (name in {"web", "worker", "dispatcher"}):
        yield f"{name} is a {program.kind}"
    if lasts and program.spec["selector"]["matchLabels"] != program.pod["metadata"]["labels"]:
        yield f"{name} does not select its own pods"


def resolved(text: str) -> str:
    """A value of the compose file with the defaults of its variables."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)


def _environment(program: Program, settings: Mapping[str, str], compose: Any) -> Iterator[str]:
    name, given = program.name, program.variables
    wanted = compose["services"][name]["environment"]
    if program.secrets != {"interrater"} | MORE_SECRETS.get(name, set()):
        yield f"{name} is given the wrong secrets: {program.secrets}"
    from_secrets = set().union(*(SECRETS.get(secret, set()) for secret in program.secrets))
    has = settings.keys() | given.keys() | from_secrets
    for variable in sorted(wanted.keys() - has):
        yield f"{name} is not given {variable}, as in compose"
    for variable in sorted(has - wanted.keys()):
        yield f"{name} is given {variable}, which compose does not give it"
    for variable in sorted(has - read_variables() - FOREIGN):
        yield f"{name} is given {variable}, which the code does not read"
    for variable, value in {**settings, **given}.items():
        default = OTHERWISE.get(name, {}).get(variable, resolved(str(wanted.get(variable, ""))))
        # Demanded in compose: the host name of .env.example.
        if ":?" not in default and value != default:
            yield f"{name} is given {variable} = {value}, in compose {default}"


def _hardening(program: Program, files: Files) -> Iterator[str]:
    name, pod, container = program.name, program.pod["spec"], program.container
    user = re.search(r"--uid (\d+)", files["Dockerfile"])
    if not user or pod["securityContext"].get("runAsUser") != int(user[1]):
        yield f"{name} does not run as the user of the image"
    if not pod["securityContext"].get("runAsNonRoot") or pod.get("automountServiceAccountToken") is not False:
        yield f"{name} may run as root, or gets a key to the cluster"
    if pod["securityContext"].get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield f"{name} has no seccomp profile"
    if container.get("securityContext") != HARDENED:
        yield f"{name} is not locked down"
    if "memory" not in container["resources"]["limits"] or "cpu" in container["resources"]["limits"]:
        yield f"{name} has no memory limit, or is slowed down at a limit of its processor"


def _volumes(program: Program, documents: list[Any], compose: Any) -> Iterator[str]:
    declared = {each["name"]: each for each in program.pod["spec"]["volumes"]}
    claims = {each["metadata"]["name"] for each in documents if each["kind"] == "PersistentVolumeClaim"}
    if set(program.mounts.values()) != declared.keys():
        yield f"{program.name} declares other volumes than it mounts"
    for volume in declared.values():
        if "emptyDir" not in volume and volume["persistentVolumeClaim"]["claimName"] not in claims:
            yield f"{program.name} mounts a volume that nothing claims"
    in_compose = {
        each.split(":")[1]: each.split(":")[0]
        for each in compose["services"][program.name].get("volumes", [])
    }
    for path, name in in_compose.items():
        if program.mounts.get(path) != name:
            yield f"{program.name} does not mount {name} at {path}"
    if "/tmp" not in program.mounts:
        yield f"{program.name} cannot write to /tmp"


def _probes(programs: Mapping[str, Program], compose: Any, files: Files) -> Iterator[str]:
    for name in ("worker", "dispatcher"):
        checked = compose["services"][name]["healthcheck"]["test"][1:]
        if programs[name].container.get("livenessProbe", {}).get("exec", {}).get("command") != checked:
            yield f"{name} is not watched as in compose"
    web = programs["web"].container
    for kind, path in {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}.items():
        command = ["python", "config/probe.py", path, "8000"]
        if web.get(f"{kind}Probe", {}).get("exec", {}).get("command") != command:
            yield f"web has the wrong {kind} probe"
    if '["python", "config/probe.py", "/healthz", "8000"]' not in files["Dockerfile"]:
        yield "the image checks itself otherwise than the cluster"
    limit = int(resolved(str(compose["x-program"]["environment"]["RUN_SOFT_TIME_LIMIT"])))
    if programs["worker"].pod["spec"]["terminationGracePeriodSeconds"] <= limit:
        yield "a worker is killed before its run could end"


def _ports(web: Program, documents: list[Any], files: Files) -> Iterator[str]:
    ports = {each["name"]: each["containerPort"] for each in web.container["ports"]}
    metrics = web.variables["METRICS_BIND"].rpartition(":")[2]
    if ports != {"http": 8000, "metrics": int(metrics)} or "EXPOSE 8000\n" not in files["Dockerfile"]:
        yield f"web has the wrong ports: {ports}"
    annotations = web.pod["metadata"]["annotations"]
    if annotations.get("prometheus.io/port") != metrics:
        yield "Prometheus is sent to another port than that of the metrics"
    labels = web.pod["metadata"]["labels"]
    for each in documents:
        if each["kind"] == "Service":
            if each["spec"]["selector"] != labels:
                yield "the service does not select the web servers"
            if {port["targetPort"] for port in each["spec"]["ports"]} != {"http"}:
                yield "the service passes on more than requests"
    policies = [each["spec"] for each in documents if each["kind"] == "NetworkPolicy"]
    if not any(each["podSelector"] == {} and "ingress" not in each for each in policies):
        yield "pods can be reached that nothing needs to reach"
    for policy in policies:
        for rule in policy.get("ingress", []):
            if {"port": "metrics"} in rule["ports"] and not rule.get("from"):
                yield "everything in the cluster can read the metrics"
            if policy["podSelector"].get("matchLabels") != labels:
                yield "a rule of the network lets in something to other pods than the web servers"


def _scaling(worker: Program, documents: list[Any]) -> Iterator[str]:
    [scaled] = [each["spec"] for each in documents if each["kind"] == "ScaledObject"]
    if scaled["scaleTargetRef"] != {"name": worker.name} or "replicas" in worker.spec:
        yield "the number of workers is decided twice, or not at all"
    [trigger] = scaled["triggers"]
    concurrency = worker.container["args"][worker.container["args"].index("--concurrency") + 1]
    if trigger["metadata"]["threshold"] != concurrency:
        yield "a worker is started for another number of runs than it executes"
    if not 1 <= scaled["minReplicaCount"] <= scaled["maxReplicaCount"]:
        yield "there may be no worker, or the limits are reversed"
    try:
        promql_parser.parse(trigger["metadata"]["query"])
    except ValueError as error:
        yield f"the query of the queue cannot be read: {error}"
