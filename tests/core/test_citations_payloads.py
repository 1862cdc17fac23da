"""Real answers of models. The short ones here are quoted from

- langchain-ai/open_deep_research, MIT (gpt-4.1, gpt-5, claude-sonnet-4)
- Ayanami0730/deep_research_bench, Apache-2.0 (claude-3-7-sonnet)
- AkariAsai/ScholarQABench, ODC-BY 1.0 (gpt-4o)
- allenai/ai2-scholarqa-lib and salesforce/summary-of-a-haystack, Apache-2.0
- Azure-Samples/ai-rag-chat-evaluator, MIT (gpt-4)

and all of them are run through where the shared data is at hand.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.citations import CitationFilter
from tests.core.citing import markers_seen

PAYLOADS = Path(os.environ.get("EVAL_DATA", "../shared/data")) / "payloads"


def filtered(text: str, source_count: int) -> str:
    citations = CitationFilter(source_count)
    return citations.feed(text) + citations.flush()


@pytest.mark.parametrize(
    ("written", "source_count", "leaves"),
    [
        ("especially for melasma and PIH[4-2][24][15].", 20, "especially for melasma and PIH[15]."),
        ("《中国居民膳食营养素参考摄入量》[1-5][17]，参考", 4, "《中国居民膳食营养素参考摄入量》[1][2][3][4]，参考"),
        ("历史高点$1,923【1】【2】。", 1, "历史高点$1,923[1]。"),
        ("体系【1,2】。", 3, "体系[1][2]。"),
        ("within any subarray [0]. Over time", 3, "within any subarray. Over time"),
        ("the underlying signal [0; 7; 12]. ", 8, "the underlying signal [7]. "),
        ("novel scenarios [0],[1]. By", 1, "novel scenarios [1]. By"),
        ("symptoms such as dizziness[95][95].", 99, "symptoms such as dizziness[95]."),
        ("further investigation. [32][6][91]", 10, "further investigation. [6]"),
        ("of NN and PDE Solvers[^0].\n\n[^0]: [0]Title: Combining\n", 3, "of NN and PDE Solvers.\n\n"),
        ("efficient tools [14].[^12]\n\n[^12]: We highlight\n", 12, "efficient tools.[12]\n\n"),
        ("common in clinics ([4]).", 3, "common in clinics."),
        ("see [Reny & Zamir (2004)][8] for", 3, "see [Reny & Zamir (2004)] for"),
        ("control[1](https://a.example), [16](https://b.example).", 16, "control[1], [16]."),
        ("(e.g., [StormForge](https://a.example/k/)), [KEDA](https://b.example/)", 3, "(e.g., StormForge), KEDA"),
        ("![Square Terminal](https://a.example/global/as.png)", 3, "Square Terminal"),
        ("Accidents [2019-2024]\n", 3, "Accidents\n"),
        ("国办函〔2024〕20号", 3, "国办函20号"),
        ("grow.[1-50]\n\n---\n\n## Sources\n\n[1] Field: https://a.example  \n[2] S\n", 2, "grow.[1][2]\n\n---\n\n"),
        ("here.\n\n## 7. Sources\n\n[1] Curiosity-Driven Exploration: https://a.example\n", 2, "here.\n\n"),
        ("趋势。\n\n## 15. 参考文献\n\n[1] 2025年全球及中国: https://a.example  \n", 2, "趋势。\n\n"),
        ("趋势。\n\n参考文献：\n[1] https://a.example - 中国\n[2] b\n", 2, "趋势。\n\n"),
        ("Sources:\n- [A.pdf#page=78]\n- [B.pdf#page=2]", 3, ""),
    ],
)
def test_odd_markers(written: str, source_count: int, leaves: str) -> None:
    assert filtered(written, source_count) == leaves


@pytest.mark.parametrize(
    "written",
    [
        "- 【【专家观点】“十四五”期间】-国家",
        "the array A[i : j] must be",
        "`<path/to/data> [block]`",
        'and <tex-math notation="LaTeX">$\\lambda$</tex-math>',
        "intervals \\( [\\underline{v}_1, \\overline{v}_1] \\)",
        "paper [269936543 | Sajun et al. | 2024 | Citations: 31].",
        "Plus [Benefit_Options.pdf#page=1]. It",
        "[4][44]\n[Word count: 149]",
        "overtly tackl[es] the topic [惠]能",
        "AI in Schools [25 Case Studies]",
        '{"point":[40.7128,-74.006]}',
        "- Summary\n- Sources\n---\n# Summary",
        "1. Readiness\n\n- [ ] Conduct product research",
    ],
)
def test_odd_brackets_that_stay(written: str) -> None:
    assert filtered(written, 50) == written


def answers() -> Iterator[str]:
    """Every seventh of the cited answers in the shared data."""
    texts: list[str] = []
    for path in sorted(PAYLOADS.glob("*/*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        texts += [row[key] for row in rows for key in ("answer", "article", "answer_text") if key in row]
        texts += [answer["answer_string"] for row in rows for answer in row.get("answers", {}).values()]
    summaries = json.loads((PAYLOADS / "summhay/eval_benchmark_data.json").read_text("utf-8"))
    texts += ["\n".join(row["summary"]) for row in summaries]
    yield from texts[::7]


@pytest.mark.skipif(not PAYLOADS.is_dir(), reason="the shared data is not here: set EVAL_DATA to it")
def test_real_answers_keep_every_promise() -> None:
    pick = random.Random(1)
    for answer in answers():
        whole = filtered(answer, 2)
        citations, pieces, at = CitationFilter(2), [], 0
        while at < len(answer):
            end = at + pick.randrange(1, 9)
            pieces.append(citations.feed(answer[at:end]))
            at = end
        assert "".join(pieces) + citations.flush() == whole
        assert filtered(whole, 2) == whole
        assert markers_seen(whole) <= {"[1]", "[2]"}
