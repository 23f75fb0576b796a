"""What a service may do, how much of the machine it may take, and how long the proxy waits."""

import re
from collections.abc import Iterator
from typing import Any

from tests.config.deployment.files import Files

# What the entrypoints of images that are not ours need as root; programs of ours need nothing.
CAPABILITIES = {
    "db": {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"},
    "proxy": {"NET_BIND_SERVICE"},
}

# Folders that images write to beside their volumes.
WRITTEN = {"db": {"/tmp", "/var/run/postgresql"}, "broker": {"/run"}, "proxy": {"/tmp"}}


def faults(files: Files, compose: Any) -> Iterator[str]:
    yield from _hardening(compose)
    yield from _proxy(files)


def _hardening(compose: Any) -> Iterator[str]:
    for name, service in compose["services"].items():
        if service.get("cap_drop") != ["ALL"] or "privileged" in service:
            yield f"{name} keeps capabilities"
        if set(service.get("cap_add", [])) != CAPABILITIES.get(name, set()):
            yield f"{name} is given other capabilities than it needs"
        if service.get("security_opt") != ["no-new-privileges:true"]:
            yield f"{name} may gain privileges"
        if service.get("read_only") is not True:
            yield f"{name} may write to its image"
        if not re.fullmatch(r"\d+[mg]|\$\{[A-Z]+_MEMORY:-\d+[mg]\}", str(service.get("mem_limit"))):
            yield f"{name} has no memory limit"
        if service.get("configs") or service.get("secrets"):
            yield f"{name}: Compose copies configs and secrets into the image, which is read-only"
        writable = {
            *service.get("tmpfs", []),
            *(volume.split(":")[1] for volume in service.get("volumes", [])),
        }
        for folder in WRITTEN.get(name, {"/tmp"}) - writable:
            yield f"{name} cannot write to {folder}"


def _proxy(files: Files) -> Iterator[str]:
    """Every wait of the proxy has an end, and leaves time for the largest upload."""
    text = files["deploy/Caddyfile"]
    limits = {}
    for name in ("read_header", "read_body", "write", "idle", "dial_timeout", "response_header_timeout"):
        found = re.search(rf"^\s+{name} (\d+)([smh])$", text, re.MULTILINE)
        limits[name] = int(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]] if found else 0
    for name, seconds in limits.items():
        if not seconds:
            yield f"the proxy has no limit {name}"
    if limits["read_header"] > 60:
        yield "the proxy waits too long for headers"
    if limits["read_body"] < 1800 or limits["write"] < limits["read_body"]:
        yield "the proxy cuts off honest uploads or downloads"
    if re.search(r"^\s+read_timeout ", text, re.MULTILINE):
        yield "the proxy cuts off uploads by the time for which the web server is silent"
