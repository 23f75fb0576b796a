# Interrater in one image: the web server, the worker, the dispatcher and the commands differ by their command only.

FROM python:3.13-slim-bookworm@sha256:67a1e1f215ccda113cfc024e8639049257e88f273898f595b61476d128d387e8 AS build
COPY requirements/base.txt /tmp/base.txt
RUN python -m venv /opt/venv \
 && /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary=:all: -r /tmp/base.txt

# The documentation, which the program serves under /help/.
FROM python:3.13-slim-bookworm@sha256:67a1e1f215ccda113cfc024e8639049257e88f273898f595b61476d128d387e8 AS docs
COPY requirements/docs.txt /tmp/docs.txt
RUN python -m venv /opt/docs \
 && /opt/docs/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary=:all: -r /tmp/docs.txt
WORKDIR /site
COPY docs docs
COPY config config
COPY static static
COPY CHANGELOG.md ./
COPY .env.example ./
COPY CONTRIBUTING.md ./
COPY SECURITY.md ./
RUN /opt/docs/bin/sphinx-build --quiet --fail-on-warning --doctree-dir /tmp/doctrees docs build/help

# For pg_dump and pg_restore, of the major version that docker-compose.yml runs.
FROM postgres:18-bookworm@sha256:1961f96e6029a02c3812d7cb329a3b03a3ac2bb067058dec17b0f5596aca9296 AS postgres

FROM python:3.13-slim-bookworm@sha256:67a1e1f215ccda113cfc024e8639049257e88f273898f595b61476d128d387e8
# Besides tini, the libraries that the programs of PostgreSQL are linked with.
RUN apt-get update \
 && apt-get install -y --no-install-recommends tini libgssapi-krb5-2 libldap-2.5-0 liblz4-1 libssl3 libzstd1 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --system --gid 10001 interrater \
 && useradd --system --uid 10001 --gid interrater --no-create-home --home-dir /nonexistent interrater \
 && install --directory --owner interrater --group interrater --mode 700 /srv/media /srv/backups
COPY --from=postgres /usr/lib/postgresql/18/bin/pg_dump /usr/lib/postgresql/18/bin/pg_restore /usr/local/bin/
COPY --from=postgres /usr/lib/*-linux-gnu/libpq.so.5* /usr/local/lib/
RUN ldconfig && pg_dump --version && pg_restore --version
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    STATIC_ROOT=/srv/static \
    MEDIA_ROOT=/srv/media \
    WEB_BIND=0.0.0.0:8000
WORKDIR /srv/interrater
COPY --from=build /opt/venv /opt/venv
COPY manage.py ./
COPY config config
COPY core core
COPY projects projects
COPY raters raters
COPY reports reports
COPY templates templates
COPY static static
COPY --from=docs /site/build/help build/help
# The key is for this step alone and signs nothing.
RUN SECRET_KEY=collectstatic python manage.py collectstatic --no-input \
 && python -m compileall -q .
USER interrater
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s --retries=3 \
  CMD ["python", "config/probe.py", "/healthz", "8000"]
ENTRYPOINT ["tini", "--"]
CMD ["gunicorn", "--config", "config/gunicorn.py"]
