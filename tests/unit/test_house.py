"""The house rules: who may import whom, how large a room may be, and that generated files are fresh."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import generate
from tests.support import ROOT

pytestmark = pytest.mark.unit

OURS = {"stacks", "components", "policies", "scripts"}

MAY_IMPORT = {
    "components/catalog": {"components.catalog"},
    "components": {"components", "stacks"},
    "stacks": {"stacks", "components.catalog"},
    "policies": {"policies", "components.catalog"},
    "scripts": {"scripts", "stacks", "components.catalog"},
    # These two read the text of the rules, for the documentation and for the sandbox's summary; they judge nothing.
    "scripts/generate.py": {"scripts", "stacks", "components.catalog", "policies"},
    "scripts/constraints_page.py": {"scripts", "policies"},
    "scripts/reporting/__main__.py": {"scripts", "policies"},
    "scripts/sandboxing/summary.py": {"scripts", "stacks", "components.catalog", "policies"},
}


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def imports(path: Path, root: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            # A relative import counts from the module's own package, one step up per further dot.
            package = path.relative_to(root).parts[: -node.level] if node.level else ()
            yield ".".join([*package, *filter(None, [node.module])])


def forbidden(path: Path, root: Path = ROOT) -> list[str]:
    """Imports that the narrowest folder (or file) with a rule does not permit."""
    relative = path.relative_to(root).as_posix()
    rule = max((key for key in MAY_IMPORT if relative == key or relative.startswith(f"{key}/")), key=len)
    return [
        name
        for name in imports(path, root)
        if name.split(".")[0] in OURS and not any(f"{name}.".startswith(f"{room}.") for room in MAY_IMPORT[rule])
    ]


@pytest.mark.parametrize(
    "path", sources("stacks", "components", "policies", "scripts"), ids=lambda p: p.relative_to(ROOT).as_posix()
)
def test_a_module_imports_only_what_its_room_may(path):
    assert forbidden(path) == []


@pytest.mark.parametrize(
    ("module", "line", "found"),
    [
        ("policies/rules/bad.py", "from components.network import Network", ["components.network"]),
        ("policies/rules/bad.py", "import stacks.environment", ["stacks.environment"]),
        ("components/catalog/bad.py", "from stacks.model import Section", ["stacks.model"]),
        ("stacks/bad.py", "from components.network import Network", ["components.network"]),
        ("stacks/bad.py", "from components.catalog.pins import CHARTS", []),
        ("components/network/bad.py", "from scripts import generate", ["scripts"]),
        ("components/catalog/bad.py", "from ..network import Network", ["components.network"]),
    ],
)
def test_the_import_rule_notices_what_it_is_for(tmp_path, module, line, found):
    path = tmp_path / module
    path.parent.mkdir(parents=True)
    path.write_text(line, encoding="utf-8")
    assert forbidden(path, tmp_path) == found


def test_the_package_of_components_pulls_nothing_in():
    assert (ROOT / "components" / "__init__.py").read_text(encoding="utf-8") == ""


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_the_program_stays_a_table_of_contents():
    assert lines(ROOT / "__main__.py") <= 120


@pytest.mark.parametrize(("folder", "most"), [("components", 300), ("stacks", 300), ("policies", 300)])
def test_rooms_stay_small(folder, most):
    assert {path.name: lines(path) for path in sources(folder) if lines(path) > most} == {}


def test_rules_stay_readable_on_one_screen():
    assert {path.name: lines(path) for path in sources("policies/rules") if lines(path) > 60} == {}


@pytest.mark.parametrize("name", generate.GENERATED)
def test_a_generated_file_says_what_the_code_says(name):
    assert name not in generate.stale(), "run: python -m scripts.generate"


def test_the_check_names_a_stale_file_and_writes_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "stale", lambda: ["docs/policies.md"])
    assert generate.main(["--check"]) == 1
    assert "stale: docs/policies.md" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


TIERS = ("unit", "policy", "scripts", "admission", "engine")


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda path: path.name)
def test_a_test_lies_in_the_folder_of_its_tier(path):
    """A tier collects its own folder and no other: elsewhere a test would never run."""
    marks = set(re.findall(r"pytest\.mark\.(\w+)", path.read_text(encoding="utf-8"))) & set(TIERS)
    assert marks <= {path.relative_to(ROOT / "tests").parts[0]}


def test_no_two_test_files_share_a_name():
    """Pytest collects the tier soak from all folders at once, and cannot import two modules of one name."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, count in names.items() if count > 1] == []
