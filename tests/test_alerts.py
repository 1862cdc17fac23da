"""The alerting rules name metrics and labels that exist."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from app.core.model import Status
from app.core.verdict import MESSAGES
from app.metrics import REGISTRY

RULES = Path(__file__).parent.parent / "ops" / "alerts.yml"


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def test_every_metric_in_a_rule_is_one_of_ours() -> None:
    known = {f"{family.name}_total" if family.type == "counter" else family.name for family in REGISTRY.collect()}
    used = {name for rule in rules() for name in re.findall(r"vouch_\w+", rule["expr"])}
    assert used
    assert used <= known


def test_every_verdict_in_a_rule_is_one_of_ours() -> None:
    for rule in rules():
        for names in re.findall(r'status=~?"([\w|]+)"', rule["expr"]):
            assert set(names.split("|")) <= set(Status)
        assert set(re.findall(r'reason="(\w+)"', rule["expr"])) <= set(MESSAGES)


def test_every_rule_says_what_to_do() -> None:
    for rule in rules():
        assert {"alert", "expr", "labels", "annotations"} <= set(rule)
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["annotations"]["description"].endswith((".", "?"))
