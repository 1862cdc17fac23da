"""What the OpenAPI document says is what the service does: requests made from it, valid and not, by schemathesis."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import APIOperation, Case, GenerationMode, openapi
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

from app.web.access import TOKEN_HEADER
from tests.service import Service

EXAMPLES = 5
"""Of each operation, valid ones and as many that are not."""
CHECKS = [not_a_server_error, content_type_conformance, response_schema_conformance]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: str(mode.value))
async def test_every_reply_is_as_the_document_says_and_no_server_error(service: Service, mode: GenerationMode) -> None:
    schema = openapi.from_dict((await service.http.get("/schema/openapi.json")).json())
    operations = [found.ok() for found in schema.get_all_operations()]
    assert len(operations) > 10
    for operation in operations:
        await asyncio.to_thread(explore, operation, mode, service)


def explore(operation: APIOperation, mode: GenerationMode, service: Service) -> None:
    address, headers = str(service.http.base_url), {TOKEN_HEADER: service.token}

    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def holds(case: Case) -> None:
        response = case.call(base_url=address, headers=headers, timeout=30)
        case.validate_response(response, checks=CHECKS)

    with suppress(Unsatisfiable):  # there is no invalid request to a route that takes nothing
        holds()
