"""The words of citing, in the languages that answers come in. All small."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


CITING = words(
    "source sources src ref refs reference references doc docs document documents citation citations cite cites"
    " cited note notes footnote footnotes fn passage passages chunk chunks context contexts excerpt excerpts"
    " quelle quellen fuente fuentes fonte fonti bron bronnen 来源 來源 资料 資料 文献 出典 引用 注 脚注"
)
REMARKING = words("note notes footnote footnotes fn context contexts 注 脚注")
"""Citing words that begin remarks, too."""
COUNTING = words("no nr nos num number numbers id ids")
LEADING = words("see also cf vgl siehe voir véase e g")
FOREIGN = words("turn oaicite oai_citation")
"""With these the ids of other systems begin."""
JOINING = words("and or und oder et ou y o e og en 和 与 及 或")
REACHING = words("to through thru bis until à a 至 到")
LOCATING = words(
    "p pp page pages pg sec section sections ch chapter chapters line lines para paragraph paragraphs fig figure"
    " table appendix art article s seite seiten abschnitt 页 頁 节 章"
)
BIBLIOGRAPHY = (
    "sources", "references", "bibliography", "works cited", "citations", "cited sources", "source list",
    "reference list", "sources cited", "references cited", "sources used", "list of references", "footnotes",
    "quellen", "quellenverzeichnis", "literatur", "fuentes", "referencias", "références", "bibliographie", "fonti",
    "bronnen", "参考文献", "參考文獻", "参考资料", "参考来源", "来源", "資料來源", "引用来源", "主要参考来源", "出典",
)  # fmt: skip
"""Headings of a list of sources."""
