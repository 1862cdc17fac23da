"""`python -m bench.page [ADDRESS]`: what the web page weighs, and how soon it can be used.

Needs Debian's chromium, and a service that runs (http://127.0.0.1:8000). A cold visit is one of a browser without a
cache; a warm one asks the service whether its files still hold. The page can be used when its scripts have run, which
is what the browser's DOMContentLoaded waits for; the time counts from the start of the navigation.

With `--pictures FOLDER` it takes the pictures of README instead, from a service over the sample.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

VISITS = 15
USABLE = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventStart"
WEIGHT = """() => performance.getEntries()
    .filter((one) => one.entryType === "navigation" || one.name.includes("/static/"))
    .map((one) => one.decodedBodySize)"""
VIEWPORT: ViewportSize = {"width": 1080, "height": 680}
ANSWERED = "Can I carry over leave, and until when?"
REFUSED = "Who won the football world cup in 1998?"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", nargs="?", default="http://127.0.0.1:8000")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        if arguments.pictures:
            _take_pictures(browser, arguments.address, arguments.pictures)
        else:
            _measure(browser, arguments.address)
        browser.close()


def _measure(browser: Browser, address: str) -> None:
    cold, warm = [], []
    for _ in range(VISITS):
        page = browser.new_page()
        page.goto(address)
        cold.append(page.evaluate(USABLE))
        sizes = page.evaluate(WEIGHT)
        page.reload()
        warm.append(page.evaluate(USABLE))
        page.close()
    print(f"weight: {sum(sizes):,} bytes in {len(sizes)} files, uncompressed")
    for name, times in (("cold", cold), ("warm", warm)):
        print(f"usable after, {name}: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")


def _take_pictures(browser: Browser, address: str, folder: Path) -> None:
    page = browser.new_page(viewport=VIEWPORT)
    page.goto(address)
    _ask(page, ANSWERED)
    page.locator("#text button").first.click()
    page.screenshot(path=folder / "answered.png")
    page = browser.new_page(viewport=VIEWPORT, color_scheme="dark")
    page.goto(address)
    _ask(page, REFUSED)
    page.locator("#notices li").first.wait_for()
    page.screenshot(path=folder / "refused.png")


def _ask(page: Page, question: str) -> None:
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")
    page.locator("#actions a").wait_for()


if __name__ == "__main__":
    main()
