"""How the languages of source code write definitions, as far as one line shows it."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

_MODIFIERS = (
    r"(?:(?:export|default|declare|abstract|public|private|protected|internal|fileprivate|static|final|sealed|partial|async"
    r"|unsafe|const|inline|virtual|override|open|data|suspend|case|implicit|lazy|readonly|mutating|local"
    r'|pub(?:\([^)]*\))?|extern(?:\s+"[^"]*")?|@\w+(?:\([^)]*\))?)\s+)*'
)
_CONTAINER = re.compile(
    rf"\s*{_MODIFIERS}(?:(?:class|interface|struct|enum(?:\s+class)?|trait|namespace|module|mod|object|protocol"
    r"|extension|record|union|package\s+object|service|message)\s+(?P<name>[\w$.:]+)"
    r"|impl\b(?:<[^>]*>)?\s+(?P<implemented>[^{]+))(?!.*;\s*$)"
)
_FUNCTION = re.compile(
    rf"\s*{_MODIFIERS}(?:func|function|fn|fun|def|sub|proc|defp|defmacro|type|typealias|macro_rules!)\b\*?\s*"
    r"(?P<name>(?:\([^)]*\)\s*)?[\w$.:?!=~-]+)"
)
_NOT_A_NAME = (
    r"(?!(?:if|else|for|foreach|while|do|switch|case|catch|return|throw|new|await|yield|using|lock|delete|goto)\b)"
)
_TYPED = re.compile(
    rf"\s*{_NOT_A_NAME}[\w$][\w$:<>,\[\]*&?.@~ \t]*[\s*&](?P<name>{_NOT_A_NAME}~?[\w$:]+)\s*\((?!.*;\s*$)"
)
_CONSTRUCTOR = re.compile(rf"\s*{_MODIFIERS}(?P<name>{_NOT_A_NAME}[#~]?[\w$]+)\s*(?:<[^>]*>)?\([^;]*\{{\s*$")
_METHOD = re.compile(
    rf"\s*{_MODIFIERS}(?:(?:get|set)\s+|\*)?(?P<name>{_NOT_A_NAME}#?[\w$]+)\s*(?:<[^>]*>)?\([^;]*\{{\s*$"
)
_ARROW = re.compile(
    rf"\s*{_MODIFIERS}(?:let|var|const)?\s*(?P<name>[\w$]+)\s*(?::[^=]+)?=\s*(?:async\s+)?"
    r"(?:function\b|(?:\([^()]*\)|[\w$]+)\s*(?::[^=]+)?=>|\([^)]*$)"
)
_SHELL = re.compile(r"\s*(?P<name>[\w:.-]+)\s*\(\)")
_SHELL_WORD = re.compile(r"\s*function\s+(?P<name>[\w:.-]+)")
_SQL = re.compile(
    r"\s*create\s+(?:or\s+replace\s+)?(?:\w+\s+){0,2}?(?P<name>(?:table|view|function|procedure|trigger|index|type|schema)"
    r"\s+(?:if\s+not\s+exists\s+)?[\w.\"`\[\]]+)",
    re.IGNORECASE,
)
_TERRAFORM = re.compile(r"(?P<name>(?:resource|data|module|variable|output|provider|locals|terraform)\b[^{=]*)\{")
_TARGET = re.compile(r"(?P<name>[\w./%$(){}-]+(?: [\w./%$(){}-]+)*)\s*:(?!=)")
_STAGE = re.compile(r"(?P<name>FROM\s+\S+.*)", re.IGNORECASE)
_TABLE = re.compile(r"\s*\[{1,2}(?P<name>[^\[\]]+)\]{1,2}\s*(?:[#;].*)?$")
_YAML_KEY = re.compile(r"[\"']?(?P<name>[^\s#:\"'-][^:#\"']*)[\"']?:\s*(?:[|>&!][^#]*)?(?:#.*)?$")
_JSON_KEY = re.compile(r'\s+"(?P<name>[^"]+)":\s*[\[{]\s*$')


class Language(Struct, frozen=True):
    fence: str
    """Its name in Markdown."""
    containers: tuple[re.Pattern[str], ...] = ()
    """What holds definitions. Each pattern has a group that names what it defines."""
    functions: tuple[re.Pattern[str], ...] = ()
    members: tuple[re.Pattern[str], ...] = ()
    """Functions that are written so only in a container."""
    ends: Literal["bracket", "margin", "next"] = "bracket"
    """A definition's last line: a bracket or `end` on its margin, the one before any other line on its margin, or the
    one before the next definition."""


def _braces(fence: str, *functions: re.Pattern[str], members: tuple[re.Pattern[str], ...] = ()) -> Language:
    return Language(fence, (_CONTAINER,), (_FUNCTION, *functions), members)


def _sections(fence: str, start: re.Pattern[str]) -> Language:
    """Each definition reaches to the next one."""
    return Language(fence, functions=(start,), ends="next")


_C = _braces("c", _TYPED)
_CPP = _braces("cpp", _TYPED, members=(_CONSTRUCTOR,))
_JAVASCRIPT = _braces("javascript", _ARROW, members=(_METHOD,))
_TYPESCRIPT = _braces("typescript", _ARROW, members=(_METHOD,))
_RUBY = _braces("ruby")
_SHELL_SCRIPT = Language("bash", functions=(_SHELL_WORD, _SHELL))
_YAML = Language("yaml", functions=(_YAML_KEY,), ends="margin")
_PYTHON = Language("python", (_CONTAINER,), (_FUNCTION,), ends="margin")
_INI = _sections("ini", _TABLE)

LANGUAGES = {
    ".py": _PYTHON,
    ".pyi": _PYTHON,
    ".js": _JAVASCRIPT,
    ".jsx": _JAVASCRIPT,
    ".mjs": _JAVASCRIPT,
    ".cjs": _JAVASCRIPT,
    ".ts": _TYPESCRIPT,
    ".tsx": _TYPESCRIPT,
    ".java": _braces("java", _TYPED, members=(_CONSTRUCTOR,)),
    ".kt": _braces("kotlin"),
    ".kts": _braces("kotlin"),
    ".scala": _braces("scala"),
    ".groovy": _braces("groovy", _TYPED),
    ".gradle": _braces("groovy", _TYPED),
    ".go": _braces("go"),
    ".rs": _braces("rust"),
    ".c": _C,
    ".h": _CPP,
    ".cc": _CPP,
    ".cpp": _CPP,
    ".cxx": _CPP,
    ".hh": _CPP,
    ".hpp": _CPP,
    ".cs": _braces("csharp", _TYPED, members=(_CONSTRUCTOR,)),
    ".swift": _braces("swift"),
    ".dart": _braces("dart", _TYPED, members=(_CONSTRUCTOR,)),
    ".php": _braces("php"),
    ".rb": _RUBY,
    ".ex": _braces("elixir"),
    ".exs": _braces("elixir"),
    ".lua": _braces("lua"),
    ".r": Language("r", functions=(re.compile(r"\s*(?P<name>[\w.]+)\s*(?:<-|=)\s*function\b"),)),
    ".sh": _SHELL_SCRIPT,
    ".bash": _SHELL_SCRIPT,
    ".zsh": _SHELL_SCRIPT,
    ".ps1": _braces("powershell"),
    ".sql": _sections("sql", _SQL),
    ".proto": _braces("protobuf"),
    ".graphql": _braces("graphql"),
    ".tf": Language("hcl", functions=(_TERRAFORM,)),
    ".yaml": _YAML,
    ".yml": _YAML,
    ".toml": _sections("toml", _TABLE),
    ".ini": _INI,
    ".cfg": _INI,
    ".conf": _INI,
    ".json": Language("json", functions=(_JSON_KEY,)),
    ".css": Language("css"),
    ".scss": Language("scss"),
    "dockerfile": _sections("dockerfile", _STAGE),
    "makefile": _sections("makefile", _TARGET),
    ".mk": _sections("makefile", _TARGET),
    "jenkinsfile": _braces("groovy", _TYPED),
    "gemfile": _RUBY,
    "rakefile": _RUBY,
}
"""By suffix, or by the whole name of a file that has none; in lower case."""
