"""The image and the compose file say what the code says; and the test that says so sees mistakes."""

import os
import subprocess
import sys

import pytest

from config.environment import BASE_DIR
from tests.config.deployment.checker import faults
from tests.config.deployment.files import read_files

COMPOSE, IMAGE, EXAMPLE, CADDY = "docker-compose.yml", "Dockerfile", ".env.example", "deploy/Caddyfile"
BROKER = "deploy/valkey.conf"

# (file, what stands there, what somebody might write there)
MISTAKES = [
    (COMPOSE, "manage.py, dispatch_runs", "manage.py, dispatch_run"),
    (COMPOSE, "manage.py, prepare", "manage.py, migrat"),
    (COMPOSE, "      - --without-mingle\n", ""),
    (COMPOSE, "liveness, worker]", "liveness, workers]"),
    (COMPOSE, "config.supervisor.liveness, dispatcher", "config.liveness, dispatcher"),
    (COMPOSE, "config/gunicorn.py", "gunicorn.conf.py"),
    (COMPOSE, "postgres:18-bookworm", "postgres:latest"),
    (COMPOSE, "postgres:18-bookworm", "postgres:17-bookworm"),
    (COMPOSE, "valkey/valkey:9.1-alpine", "valkey/valkey"),
    (IMAGE, "FROM postgres:18-bookworm", "FROM postgres:17-bookworm"),
    (IMAGE, "/srv/media /srv/backups", "/srv/media"),
    (COMPOSE, "      - backups:/srv/backups\n", ""),
    (COMPOSE, "config.backups.keeping", "config.backup.keeping"),
    (COMPOSE, "      - backup\n", "      - backups\n"),
    (COMPOSE, "image: interrater\n", "image: interrater:0.0.9\n"),
    (COMPOSE, "${SECRET_KEY:?set it in .env}", "${SECRET_KEY:-changeme}"),
    (COMPOSE, "    SECRET_KEY: ${SECRET_KEY:?set it in .env}\n", ""),
    (COMPOSE, "${POSTGRES_PASSWORD:?set it in .env}", "postgres"),
    (COMPOSE, "@db:5432/interrater", "@db:5433/interrater"),
    (COMPOSE, "@db:5432/interrater", "@database:5432/interrater"),
    (COMPOSE, "@broker:6379/0", "@redis:6379/0"),
    (COMPOSE, "postgres://interrater:", "postgres://postgres:"),
    (COMPOSE, "WEB_WORKERS: ${WEB_WORKERS:-2}", "WEB_CONCURRENCY: ${WEB_WORKERS:-2}"),
    (COMPOSE, "TIME_ZONE: ${TIME_ZONE:-UTC}", "TIME_ZONE: ${TIMEZONE:-UTC}"),
    (COMPOSE, 'HTTPS: "1"', 'HTTP: "1"'),
    (COMPOSE, "networks: [back, out]", "networks: [back, outside]"),
    (COMPOSE, "WEBHOOK_HTTP: ${WEBHOOK_HTTP:-0}", "WEBHOOKS_HTTP: ${WEBHOOK_HTTP:-0}"),
    (COMPOSE, "  worker:\n    <<: *program\n", "  worker:\n    <<: *program\n    container_name: worker\n"),
    (COMPOSE, "  web:\n    <<: *program\n", '  web:\n    <<: *program\n    ports: ["8000:8000"]\n'),
    (COMPOSE, "database:/var/lib/postgresql\n", "database:/var/lib/postgresql/data\n"),
    (COMPOSE, "  - broker:/data", "  - brokers:/data"),
    (COMPOSE, "  - media:/srv/media", "  - media:/srv/files"),
    (COMPOSE, "      - media:/srv/media\n", ""),
    (IMAGE, "    MEDIA_ROOT=/srv/media \\\n", ""),
    (IMAGE, "--mode 700 /srv/media", "--mode 700 /srv/static"),
    (COMPOSE, "./deploy/Caddyfile", "./Caddyfile"),
    (BROKER, "appendfsync always", "appendfsync everysec"),
    (BROKER, "dir /data", "dir /tmp"),
    (COMPOSE, """printf 'requirepass %s\\n' "$$REDISCLI_AUTH"; """, ""),
    (COMPOSE, "umask 077", "umask 022"),
    (COMPOSE, "      - ./deploy/valkey.conf:/etc/valkey.conf:ro\n", ""),
    (COMPOSE, "  cap_drop: [ALL]\n", ""),
    (COMPOSE, "  read_only: true\n", ""),
    (COMPOSE, '  security_opt: ["no-new-privileges:true"]\n', ""),
    (COMPOSE, "CHOWN, DAC_OVERRIDE", "SYS_ADMIN, DAC_OVERRIDE"),
    (COMPOSE, "    cap_add: [NET_BIND_SERVICE]\n", ""),
    (COMPOSE, "    mem_limit: ${DB_MEMORY:-2g}\n", ""),
    (COMPOSE, "    mem_limit: 256m\n", ""),
    (COMPOSE, "  mem_limit: ${WEB_MEMORY:-2g}\n", ""),
    (COMPOSE, "    tmpfs: [/tmp, /var/run/postgresql]\n", ""),
    (COMPOSE, "      - uploads:/tmp\n", ""),
    (COMPOSE, ":18-bookworm@sha256:", ":18-bookworm@sha512:"),
    (CADDY, "read_header 10s", "read_header 10m"),
    (CADDY, "\t\t\tread_body 1h\n", ""),
    (CADDY, "read_body 1h", "read_body 1m"),
    (CADDY, "write 2h", "write 5m"),
    (CADDY, "response_header_timeout", "read_timeout"),
    (COMPOSE, "-c, fsync=on, ", ""),
    (COMPOSE, "--data-checksums ", ""),
    (
        COMPOSE,
        "      test: [CMD, pg_isready, --username=postgres",
        "      tests: [CMD, pg_isready, --username=postgres",
    ),
    (COMPOSE, 'restart: "no"', "restart: always"),
    (COMPOSE, "condition: service_completed_successfully", "condition: service_started"),
    (COMPOSE, '["80:80", "443:443"]', '["80:80"]'),
    (IMAGE, " AS build", "0 AS build"),
    (IMAGE, "@sha256:", "@sha1:"),
    (IMAGE, "python:3.13-slim-bookworm", "python:3.10-slim-bookworm"),
    (IMAGE, "python:3.13-slim-bookworm", "python:slim"),
    (IMAGE, "USER interrater\n", ""),
    (IMAGE, "USER interrater", "USER root"),
    (IMAGE, "EXPOSE 8000", "EXPOSE 8080"),
    (IMAGE, '"/healthz", "8000"', '"/healthz", "80"'),
    (IMAGE, "WEB_BIND=0.0.0.0:8000", "WEB_BIND=127.0.0.1:8000"),
    (IMAGE, "COPY raters raters\n", ""),
    (IMAGE, "COPY --from=docs /site/build/help build/help\n", ""),
    (IMAGE, "-r /tmp/docs.txt", "sphinx"),
    (".dockerignore", "!docs\n", ""),
    (IMAGE, "COPY static static", "COPY assets static"),
    (IMAGE, "requirements/base.txt", "requirements.txt"),
    (IMAGE, "--require-hashes ", ""),
    (IMAGE, 'ENTRYPOINT ["tini", "--"]\n', ""),
    (IMAGE, "--from=build", "--from=builder"),
    (IMAGE, 'CMD ["gunicorn", "--config", "config/gunicorn.py"]', 'CMD ["python", "manage.py", "runserve"]'),
    (EXAMPLE, "SITE_HOST=", "HOST="),
    (EXAMPLE, "#BEHIND_PROXY=0\n", ""),
    (EXAMPLE, "LOG_LEVEL=INFO\n", "LOG_LEVEL=INFO\nSENTRY_DSN=\n"),
    (EXAMPLE, "\nSECRET_KEY=\n", "\nSECRET_KEY=change-me\n"),
    (EXAMPLE, "OWNER_PASSWORD=\n", "OWNER_PASSWORD=owner\n"),
    (EXAMPLE, "#HTTPS=0", "HTTPS=0"),
    (CADDY, "web:8000", "web:80"),
    (CADDY, "keepalive 10s", "keepalive 60s"),
    (CADDY, "{$SITE_HOST}", "localhost"),
    (".dockerignore", "!templates\n", ""),
    (COMPOSE, "postgres://interrater:${DATABASE", "postgres://postgres:${DATABASE"),
    (COMPOSE, "ADMIN_DATABASE_URL: postgres://postgres", "ADMIN_DATABASE_URL: postgres://interrater"),
    (COMPOSE, "postgres://interrater_reader", "postgres://reader"),
    (
        COMPOSE,
        "DATABASE_URL: postgres://interrater:${DATABASE_PASSWORD",
        "DATABASE_URL: postgres://x:${POSTGRES_PASSWORD",
    ),
    (COMPOSE, "--username=postgres", "--username=interrater"),
]


def test_files_agree_with_the_code_and_each_other():
    assert faults(read_files()) == []


@pytest.mark.parametrize(("name", "right", "wrong"), MISTAKES)
def test_mistakes_are_seen(name: str, right: str, wrong: str):
    files = read_files()
    assert right in files[name]

    files[name] = files[name].replace(right, wrong)

    assert faults(files) != []


def test_gunicorn_accepts_its_configuration():
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "--check-config", "--config", "config/gunicorn.py"],
        cwd=BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_probe_reports_a_server_that_is_away():
    done = subprocess.run([sys.executable, "config/probe.py", "/healthz", "1"], cwd=BASE_DIR, check=False)

    assert done.returncode == 1
