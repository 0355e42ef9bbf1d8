"""Hook of mkdocs (mkdocs.yml): links from a page to files of the repository that are no pages.

On GitHub such links work as they are. On the site they go to the repository, where mkdocs.yml names one (`repo_url`),
and are plain text otherwise. Standard library only: mkdocs runs in an environment of its own.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s:]+)(?P<anchor>#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:  # noqa: ARG001  mkdocs passes it
    """Called by mkdocs for each page."""
    return outside_links(markdown, str(page.file.src_uri), str(config.get("repo_url") or ""))


def outside_links(markdown: str, page: str, repository: str) -> str:
    """The page's text, with links that leave docs/ changed. `page` is its path in docs/."""

    def changed(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), match["target"]))
        if path.startswith("docs/"):
            return match[0]
        if not repository:
            return f"{match['text']} (`{path}`)"
        return f"[{match['text']}]({repository.rstrip('/')}/blob/main/{path}{match['anchor'] or ''})"

    return LINK.sub(changed, markdown)
