"""What can be asked of an index, from a command line here or handed over to the service, and how it is done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal

from msgspec import Struct

from app.ports import Embedder, VectorStore
from ingest import dry_run, job, prune, verify
from ingest.dry_run import Plan
from ingest.errors import NothingToIngest
from ingest.indexing import spec_for
from ingest.intake import Intake
from ingest.progress import Report, Summary
from ingest.prune import Pruned
from ingest.verify import Verification

Outcome = Summary | Plan | Verification | Pruned


class Order(Struct, frozen=True, kw_only=True):
    command: Literal["ingest", "verify", "prune"] = "ingest"
    corpus: str
    """A folder on the machine that carries the order out."""
    dry_run: bool = False
    """Write nothing; `ingest` and `prune` say what would be done, and `verify` mends nothing."""
    allow_removals: bool = False
    """Of `ingest` and `verify`: a folder that lost much of its documents is what it should be."""
    repair: bool = False
    """Of `verify`: mend what is off."""
    unfinished: bool = False
    """Of `prune`: drop what a job has begun to build, too."""

    @property
    def writes(self) -> bool:
        return not self.dry_run and (self.command != "verify" or self.repair)

    @property
    def outcome(self) -> type[Outcome]:
        """What carrying it out returns."""
        if self.command == "ingest":
            return Plan if self.dry_run else Summary
        return Verification if self.command == "verify" else Pruned


async def carry_out(
    order: Order, store: VectorStore, embedder: Embedder, index_name: str, report: Report, intake: Intake
) -> Outcome:
    """Raises NothingToIngest when there is no such folder, and what the command's own module raises."""
    if order.command == "prune":
        wanted = spec_for(index_name, embedder).collection
        return await prune.prune(store, wanted, unfinished=order.unfinished, dry_run=order.dry_run)
    check_corpus(order)
    corpus = Path(order.corpus)
    if order.command == "verify" and not order.writes:
        return await verify.verify(store, embedder, index_name, corpus, report, intake)
    change = _change(order)
    return await change(store, embedder, index_name, corpus, report, intake, allow_removals=order.allow_removals)


def check_corpus(order: Order) -> None:
    """Raises NothingToIngest when the order is for a folder that is not there."""
    if order.command != "prune" and not Path(order.corpus).is_dir():
        raise NothingToIngest(f"There is no folder {order.corpus}: set CORPUS to the folder with your documents.")


def _change(order: Order) -> Callable[..., Awaitable[Outcome]]:
    if order.command == "verify":
        return verify.repair
    return dry_run.rehearse if order.dry_run else job.run
