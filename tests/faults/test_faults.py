"""Each outside system fails in each way: what the caller gets, and that all is well again afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.cases import EXPECTED, outcomes
from tests.faults.proxy import Fault
from tests.redis_server import require_redis
from tests.stores import LOCAL_MODE

pytestmark = LOCAL_MODE


@pytest.mark.parametrize(("system", "fault"), EXPECTED, ids=lambda value: str(value))
async def test_a_fault_ends_in_the_verdict_of_the_table_and_passes(tmp_path: Path, system: str, fault: Fault) -> None:
    require_redis()
    seen = await outcomes(tmp_path, system, fault)
    assert tuple(outcome.got for outcome in seen) == EXPECTED[system, fault]
