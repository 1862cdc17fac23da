"""The support check, from the HTTP request to the reply."""

from __future__ import annotations

from tests.scripted_chat import ScriptedChat, says
from tests.service import Service

TRUE = "Every employee gets 28 days of annual leave a year [1]."
FALSE = "Every employee gets 45 days of annual leave a year [1]."


async def test_verify_shows_what_supports_each_sentence(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says(f"{TRUE} {FALSE}")
    reply = await chatting.ask(verify=True)
    assert reply["status"] == "answered"  # the check tells, the policy decides
    good, bad = reply["support"]["sentences"]
    start, end = good["span"]
    assert (good["supported"], good["source"]) == (True, 1)
    assert "28 days" in reply["sources"][0]["text"][start:end]
    assert (bad["supported"], "45" in str(bad["missing"])) == (False, True)
    assert reply["answer"][bad["start"] : bad["end"]].startswith("Every employee gets 45")
    assert "support" in reply["timings_ms"]


async def test_the_check_changes_neither_the_text_nor_the_cache_key(chatting: Service, chat: ScriptedChat) -> None:
    chat.reply = says(TRUE)
    plain = await chatting.ask()
    checked = await chatting.ask(verify=True)
    again = await chatting.ask()
    assert (checked["cached"], checked["answer"], checked["support"]["unsupported"]) == (True, plain["answer"], 0)
    assert "support" not in plain.keys() | again.keys()
    assert len(chat.requests) == 1


async def test_the_supported_policy_ungrounds_an_unsupported_claim(chatting: Service, chat: ScriptedChat) -> None:
    chat.script(says(FALSE), says(TRUE))
    bad = await chatting.ask(citation_policy="supported")
    assert (bad["status"], bad["reason"], bad["answer"]) == ("ungrounded", "unsupported_claim", FALSE)
    good = await chatting.ask(citation_policy="supported")
    assert (good["status"], good["cached"], good["support"]["unsupported"]) == ("answered", False, 0)
    assert (await chatting.ask(citation_policy="supported"))["cached"]
