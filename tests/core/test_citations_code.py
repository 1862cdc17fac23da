from __future__ import annotations

import pytest

from tests.core.citing import filtered, outcome

CODE = "`arr[9]`", "``a ` [9]``", "` \n[9] `", "```\n[9]\n```", "~~~~ [9] `x`\n~~~\n[9]\n~~~~~  \n", "```py [9]"
TEXT_AROUND_CODE = [
    ("Press ` now. The fee is 40 [9].", "Press ` now. The fee is 40."),
    ("`` [9] `", "`` `"),
    ("`[9]\n\n`", "`\n\n`"),
    ("\\`[9]`", "\\` `"),
    ("\\\\`[9]`", "\\\\`[9]`"),
    ("`" + 511 * "x" + "[9]`", "`" + 511 * "x" + "`"),
    ("`" + 507 * "x" + "[9]`", "`" + 507 * "x" + "[9]`"),
    ("`" + 508 * "x" + "[9]`", "`" + 508 * "x" + "`"),
    ("`a ``[9]`` b", "`a ``[9]`` b"),
    ("` a\n# b `[9]", "` a\n# b `"),
    ("` a\n- b `[9]", "` a\n- b `"),
    ("` a\n2. b `[9]`", "` a\n2. b ` `"),
    ("` a\n> b `[9]", "` a\n> b `"),
    ("> ` a\nb [9]`", "> ` a\nb [9]`"),
    ("` a\n---\nb [9]`", "` a\n---\nb`"),
    ("` a\n===\nb [9]`", "` a\n===\nb`"),
    ("# ` a\nb [9]`", "# ` a\nb`"),
    ("` a\n<div>[9]`", "` a\n\n`"),
    ('<b title="`">[9]`', "`"),
    ("` a\n```\n[9]\n```\nb [9]`", "` a\n```\n[9]\n```\nb`"),
    ("```\n[9]\n``\n[9]\n```\na [9]", "```\n[9]\n``\n[9]\n```\na"),
    ("```\n[9]\n~~~\n[9]", "```\n[9]\n~~~\n[9]"),
    ("```\n[9]\n``` x\n[9]", "```\n[9]\n``` x\n[9]"),
    ("   ```\n[9]\n   ```\na [9]", "   ```\n[9]\n   ```\na"),
    ("    ```\na [9]", "    ```\na"),
    ("a ```\na [9]", "a ```\na"),
    ("```a`b\na [9]", "```a`b\na"),
    ("``` " + 600 * "x" + " [9]\n[9]\n```\na [9]", "``` " + 600 * "x" + "\n[9]\n```\na"),
    ("``` " + 600 * "x" + " ` [9]\na [9]", "``` " + 600 * "x" + " `\na"),
    ("> ```\n> [9]\nx [9]", "> ```\n> [9]\nx"),
    ("> ```\n> [9]\n\nx [9]", "> ```\n> [9]\n\nx"),
    ("- ```\n  [9]\n\n  [9]\n  ```\n  x [9]", "- ```\n  [9]\n\n  [9]\n  ```\n  x"),
    ("-\n\n  ```\n[9]\n```\n[9] a", "-\n\n  ```\n[9]\n```\na"),
    ("-\n\n    ```\na [9]", "-\n\n    ```\na"),
    ("-\n    ```\n    [9]", "-\n    ```\n    [9]"),
    ("- ```\n  [9]\nx [9]", "- ```\n  [9]\nx"),
    ("10. a\n\n    ```\n    [9]\n    ```\n    b [9]", "10. a\n\n    ```\n    [9]\n    ```\n    b"),
    ("-\t```\n\t[9]\n\t```\n\tx [9]", "-\t```\n\t[9]\n\t```\n\tx"),
    ("```\r\n[9]\r\n```\r\na [9]", "```\r\n[9]\r\n```\r\na"),
    ("```\r[9]\r```\ra [9]", "```\r[9]\r```\ra"),
    ("` a\r\n [9] `", "` a\r\n [9] `"),
    ("| a |\n|---|\n| ` | b [9] ` |", "| a |\n|---|\n| ` | b ` |"),
    ("| a |\n|---|\n| `b \\| [9]` |", "| a |\n|---|\n| `b \\| [9]` |"),
]


@pytest.mark.parametrize("code", CODE)
def test_code_passes_untouched_and_counts_for_nothing(code: str) -> None:
    assert outcome([code]) == (code, set(), [], 0)


@pytest.mark.parametrize(("text", "expected"), TEXT_AROUND_CODE)
def test_code_ends_where_commonmark_says(text: str, expected: str) -> None:
    assert filtered(text) == expected


def test_a_marker_after_code_counts() -> None:
    assert outcome(["`x[3]` is set [2]."])[:2] == ("`x[3]` is set [2].", {2})
