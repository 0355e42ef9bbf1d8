"""Every link between documents leads somewhere, anchors included, and the site's navigation has every page."""

import re
from pathlib import Path

import pytest
import yaml

from scripts.docs_site import outside_links
from tests.support import ROOT

pytestmark = pytest.mark.unit

DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "images").rglob("README.md"),
        *(ROOT / "components").rglob("README.md"),
    ]
)
LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\((?P<target><[^>]+>|[^()\s]+(?:\([^()\s]*\)[^()\s]*)?)(?: \"[^\"]*\")?\)"
)
HEADING = re.compile(r"^#{1,6} +(.*?)(?: +#+)?$", re.MULTILINE)
HTML_ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")


def prose(text: str) -> str:
    """The text without its code blocks and with its code spans blanked."""
    text = re.sub(r"^( *)(```+|~~~+).*?^\1\2`*$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda span: "_" * len(span[0]), text)


def anchors(text: str) -> set[str]:
    """Names of a page's headings as GitHub makes them."""
    without_blocks = re.sub(r"^( *)(```+|~~~+).*?^\1\2`*$", "", text, flags=re.MULTILINE | re.DOTALL)
    found: dict[str, int] = {}
    for heading in HEADING.findall(without_blocks):
        shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", shown).strip().replace(" ", "-")
        seen = found.get(slug, 0)
        found[slug] = seen + 1
        if seen:
            found.setdefault(f"{slug}-{seen}", 1)
    return {*found, *HTML_ANCHOR.findall(text)}


def broken(path: Path, root: Path = ROOT) -> list[str]:
    """Links of one document that lead nowhere; addresses of other sites are not asked."""
    problems = []
    for match in LINK.finditer(prose(path.read_text(encoding="utf-8"))):
        target = match["target"].strip("<>")
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        name, _, anchor = target.partition("#")
        place = (path.parent / name).resolve() if name else path
        if not place.is_relative_to(root):
            problems.append(f"{target}: outside the repository")
        elif not place.exists():
            problems.append(f"{target}: no such file")
        elif anchor and (place.suffix != ".md" or anchor not in anchors(place.read_text(encoding="utf-8"))):
            problems.append(f"{target}: no such heading")
    return problems


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path):
    assert broken(path) == []


@pytest.mark.parametrize(
    ("line", "problems"),
    [
        ("[a](b.md)", ["b.md: no such file"]),
        ("![a](b.svg)", ["b.svg: no such file"]),
        ("[a](#nowhere)", ["#nowhere: no such heading"]),
        ("[a](other.md#nowhere)", ["other.md#nowhere: no such heading"]),
        ("[a](../../b.md)", ["../../b.md: outside the repository"]),
        ("[a [b]](c.md)", ["c.md: no such file"]),
        ("[a](other.md#two-words) [b](#here--there) [c](https://example.com/x) [d](mailto:a@b.example)", []),
        ("`[a](b.md)`", []),
        ("```text\n[a](b.md)\n# No heading\n```", []),
        ("```text\n# No heading\n```\n[a](#no-heading)", ["#no-heading: no such heading"]),
        ("## Here\n## Here\n[a](#here-1)", []),
    ],
)
def test_the_check_sees_what_it_is_for(tmp_path, line, problems):
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n## Here & there\n\n{line}\n", encoding="utf-8")
    (tmp_path / "other.md").write_text("# Other\n\n## Two `words`\n", encoding="utf-8")
    assert broken(page, tmp_path) == problems


class Ignoring(yaml.SafeLoader):
    """mkdocs.yml names two functions of pymdownx, which the tests do without."""


Ignoring.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: None)


def navigation() -> list[str]:
    def pages(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        parts = entry.values() if isinstance(entry, dict) else entry
        return [page for part in parts for page in pages(part)]

    site = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Ignoring)  # noqa: S506  a SafeLoader
    return pages(site["nav"])


def test_the_navigation_has_every_page_once():
    docs = ROOT / "docs"
    written = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    assert sorted(navigation()) == sorted(page for page in written if not page.startswith("examples/"))


@pytest.mark.parametrize("path", sorted((ROOT / "docs" / "pictures").glob("*.svg")), ids=lambda path: path.name)
def test_every_picture_is_shown_somewhere(path):
    assert [page for page in DOCUMENTS if f"pictures/{path.name})" in page.read_text(encoding="utf-8")] != []


@pytest.mark.parametrize(
    ("page", "repository", "shown"),
    [
        ("index.md", "https://example.com/o/r", "[it](https://example.com/o/r/blob/main/README.md#a)"),
        ("index.md", "", "it (`README.md`)"),
        ("adr/0001.md", "", "[it](../README.md#a)"),
    ],
)
def test_the_site_links_to_the_repository_for_what_is_no_page(page, repository, shown):
    assert outside_links("[it](../README.md#a)", page, repository) == shown
