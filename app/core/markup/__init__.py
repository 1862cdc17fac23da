"""Reads Markdown from a stream, one pass, for the citation filter.

A chain of scanners, each a state machine that hands what it has decided to the next (`events.py`):

    bibliography -> blocks -> raw_spans -> brackets -> bare_urls -> tidy -> lines
"""
