"""The alerting rules and the dashboard name metrics and labels that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from app.core.model import Status
from app.core.verdict import MESSAGES
from app.metrics import REGISTRY

OPS = Path(__file__).parent.parent / "ops"


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((OPS / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def known() -> set[str]:
    """The names that a query may use, and the parts of histograms."""
    names = set()
    for family in REGISTRY.collect():
        endings = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}.get(family.type, [""])
        names |= {f"{family.name}{ending}" for ending in endings}
    return names


def panels() -> list[dict[str, Any]]:
    return json.loads((OPS / "grafana" / "vouch.json").read_text(encoding="utf-8"))["panels"]


def test_the_dashboard_shows_every_metric_and_no_other() -> None:
    used = {n for panel in panels() for t in panel["targets"] for n in re.findall(r"vouch_\w+", t["expr"])}
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in used}
    assert used <= known()
    assert {re.sub(r"_(bucket|sum|count)$", "", name) for name in known()} == shown


def test_every_metric_is_named_by_convention() -> None:
    for family in REGISTRY.collect():
        assert re.fullmatch(r"vouch_[a-z_]+", family.name)
        assert family.documentation.endswith(".")
        assert family.type != "histogram" or family.name.endswith("_seconds")


def test_every_metric_in_a_rule_is_one_of_ours() -> None:
    used = {name for rule in rules() for name in re.findall(r"vouch_\w+", rule["expr"])}
    assert used
    assert used <= known()


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
