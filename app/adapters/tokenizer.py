"""The embedding model's own tokenizer, without truncation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokenizers import Tokenizer

if TYPE_CHECKING:
    from fastembed import TextEmbedding


class FastTokenizer:
    """The port `Tokenizer` on a tokenizer of the `tokenizers` library, of which it makes its own copy."""

    def __init__(self, tokenizer: Tokenizer, max_tokens: int) -> None:
        self.max_tokens = max_tokens
        self._tokenizer = Tokenizer.from_str(tokenizer.to_str())
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    @classmethod
    def of_model(cls, model: TextEmbedding) -> FastTokenizer:
        """The tokenizer of a loaded fastembed model, with the limit that fastembed truncates at."""
        tokenizer = model.model.tokenizer  # type: ignore[attr-defined]
        return cls(tokenizer, tokenizer.truncation["max_length"])

    def spans(self, text: str) -> Sequence[tuple[int, int]]:
        return self._tokenizer.encode(text, add_special_tokens=False).offsets

    def count(self, text: str) -> int:
        return len(self._tokenizer.encode(text).ids)
