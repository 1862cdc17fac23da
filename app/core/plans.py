"""What a caller may use by its plan, as a signed notice says: it stands above the file of callers."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct, structs

from app.core.callers import Caller, Limits


class Plan(Struct, frozen=True):
    signed_at: int
    """Seconds since 1970: of two plans of a caller the later one holds."""
    limits: dict[str, int | None] | None
    """In place of the caller's own of these names; None in there is no limit. None: as the file of callers says."""


def check_limits(limits: Mapping[str, int | None]) -> None:
    """Raises msgspec.ValidationError when these are no limits of a caller."""
    msgspec.convert(limits, Limits)


def under_plan(caller: Caller, plan: Plan | None) -> Caller:
    """The caller with the limits of its plan."""
    if plan is None or not plan.limits:
        return caller
    known = {name: limit for name, limit in plan.limits.items() if name in Limits.__struct_fields__}
    return structs.replace(caller, limits=structs.replace(caller.limits, **known))


def newest(*kept: Mapping[str, Plan]) -> dict[str, Plan]:
    """The plan that holds for each caller, out of several collections."""
    found: dict[str, Plan] = {}
    for plans in kept:
        for caller, plan in plans.items():
            if caller not in found or found[caller].signed_at <= plan.signed_at:
                found[caller] = plan
    return found
