"""Vouch: answers from a team's own documents, with their sources."""

import os

# ONNX Runtime tells its makers of each session it opens, unless this is set before it is imported. Nothing of ours may
# leave the machine unasked, so it is set before anything else is.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
