"""What can go wrong, as types of our own. No error of a library crosses a port.

VouchError
├── SettingsError        a setting is wrong: one line, exit code 2
├── StoreError
│   ├── StoreUnavailable the store does not answer, or answers rubbish
│   └── StoreHeld        another process owns the embedded store
├── EmbedderError
│   ├── ModelUnavailable the embedding model can't be loaded
│   └── EmbeddingFailed  a loaded model could not embed a text
└── AnswererFailed       the answerer broke mid-way; carries the reason code of the verdict
"""

from __future__ import annotations


class VouchError(Exception):
    """Every error of ours. Its text is a sentence for people and names what to do next."""


class SettingsError(VouchError):
    pass


class StoreError(VouchError):
    pass


class StoreUnavailable(StoreError):
    pass


class StoreHeld(StoreError):
    pass


class EmbedderError(VouchError):
    pass


class ModelUnavailable(EmbedderError):
    pass


class EmbeddingFailed(EmbedderError):
    pass


class AnswererFailed(VouchError):
    """The answerer could not finish. `reason` is a code of the `failed` verdict."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
