"""What pages name exists: commands, options, files, links; and no command hides from being typed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .pages import DOCS, INLINE, LINK, ROOT, all_pages, blocks, prose
from .program import leaves, mistakes, options

PAGES = pytest.mark.parametrize("page", all_pages(), ids=lambda page: str(page.relative_to(ROOT)))
ATTRIBUTES = frozenset({"not-run", "exit", "stays", "file"})
TEST_FILE = re.compile(r"[\w/.-]+\.py\b")
COMMAND = re.compile(r"^\s*(\$ |wattmark |make |curl |systemctl |pip |apt)")
MODULE = re.compile(r"`([\w/.]+/[\w.]+\.py|[\w]+\.py)`")
ROOMS = ROOT / "backend/wattmark"
CELL = re.compile(r"^\| `wattmark ([^`]*)` \|", re.M)


@PAGES
def test_a_command_is_typed_or_says_why_not(page: Path) -> None:
    for block in blocks(page):
        assert block.attributes.keys() <= ATTRIBUTES, block.where
        if block.language == "console":
            reason = block.attributes.get("not-run", "none needed")
            assert reason, f"{block.where}: not-run needs its reason"
            assert all((ROOT / test).is_file() for test in TEST_FILE.findall(reason)), f"{block.where}: {reason}"
            assert list(block.commands()), f"{block.where}: no line begins with $"
            assert block.lines[0].startswith("$ "), f"{block.where}: output before a command"
        else:
            hidden = [line for line in block.lines if COMMAND.match(line)]
            assert not hidden, f"{block.where}: commands belong into a block of console: {hidden}"


@PAGES
def test_commands_and_options_exist(page: Path) -> None:
    lines = [command for block in blocks(page) for command, _ in block.commands() if block.language == "console"]
    lines += [code for code in INLINE.findall(prose(page)) if code.startswith("wattmark ") and "|" not in code]
    assert not [f"{line}: {wrong}" for line in lines for wrong in mistakes(line)]


@PAGES
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(prose(page)) if "://" not in link]
    assert not [link for link in links if not (page.parent / link).exists()]


@pytest.mark.parametrize(
    "page", sorted(ROOMS.rglob("README.md")), ids=lambda page: page.parent.relative_to(ROOMS).as_posix()
)
def test_modules_that_the_page_of_a_room_names_stand_there(page: Path) -> None:
    """A path is meant from the folder, that of its section, a parent or the package; `store.py` and `routes.py` alone
    mean any room's."""
    missing = []
    for section in re.split(r"^(?=## )", page.read_text("utf-8"), flags=re.M):
        heading = section.partition("\n")[0].removeprefix("## ")
        folder = page.parent / heading if (page.parent / heading).is_dir() else page.parent
        places = (folder, folder.parent, page.parent, page.parent.parent, ROOMS, ROOT)
        named = set(MODULE.findall(section)) - {"store.py", "routes.py"}
        missing += [name for name in named if not any((place / name).is_file() for place in places)]
    assert not missing


def test_every_room_has_a_page_with_a_section_for_each_of_its_folders() -> None:
    """A folder with much to say has a page of its own."""
    folders = {module.parent for module in ROOMS.rglob("*.py") if module.name != "__init__.py"} - {ROOMS}
    missing = []
    for folder in folders:
        room, *path = folder.relative_to(ROOMS).parts
        page = ROOMS / room / "README.md"
        headings = re.findall(r"^## (.+)$", page.read_text("utf-8"), re.M) if page.is_file() else []
        if not page.is_file() or (path and "/".join(path) not in headings and not (folder / "README.md").is_file()):
            missing.append(folder)
    assert not missing


def test_the_page_of_commands_has_every_command_and_option_right() -> None:
    listed: set[tuple[str, ...]] = set()
    for cell in CELL.findall((DOCS / "guide/commands.md").read_text()):
        words = cell.replace("\\|", "|").split()
        places = [()]
        for word in words:
            deeper = [(*place, name) for place in places for name in word.split("|") if (*place, name) in options()]
            if not deeper:
                break
            places = deeper
        assert places != [()], cell
        listed.update(places)
        named = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", cell)
        assert not [name for name in named if not any(name in options()[place] for place in places)], cell
    groups = {place for place in listed if place not in leaves()}
    covered = listed | {leaf for leaf in leaves() if leaf[:-1] in groups}
    assert sorted(leaves() - covered) == []
