"""The house rules of docs/architecture: floors, homes of libraries, and what a module offers."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import engine

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "engine"

FLOORS = {
    "errors": 0,
    "text": 0,
    "model": 1,
    "measures": 1,
    "rubric": 2,
    "providers": 2,
    "store": 2,
    "corpus": 2,
    "targets": 3,
    "judges": 3,
    "gate": 3,
    "review": 3,
    "report": 3,
    "reference_agent": 3,
    "plan": 4,
    "execute": 4,
    "cli": 5,
    "serve": 5,
}

# library: the only places that may import it
HOMES = {
    "hydra": ("engine/plan/compose.py",),
    "omegaconf": ("engine/plan/compose.py",),
    "lark": ("engine/rubric/parse.py",),
    "httpx": ("engine/providers/transport.py",),
    "jinja2": ("engine/report/",),
    "sqlite3": ("engine/corpus/", "engine/store/index.py"),
    "yaml": ("engine/store/strict_yaml.py",),
    "pydantic_core": ("engine/plan/", "engine/store/strict_json.py", "engine/targets/"),
    "pydantic": ("engine/model/base.py", "engine/plan/", "engine/providers/", "engine/targets/", "engine/judges/"),
    "aiohttp": ("engine/providers/transport.py",),
    "httpx_aiohttp": ("engine/providers/transport.py",),
    "argparse": ("engine/cli/",),
    "mcp": ("engine/targets/mcp_session.py",),
    "mcp_types": ("engine/targets/mcp_session.py",),
    "pygls": ("engine/cli/rubric/lsp/desk.py",),
    "lsprotocol": ("engine/cli/rubric/lsp/",),
    "pygments": ("engine/rubric/pygments_lexer.py",),
    "quickjs": (),  # only tests run JavaScript
}


def _modules() -> list[Path]:
    return sorted(ENGINE.rglob("*.py"))


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{_name(path)}:{node.lineno}: imports are absolute"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _room(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "engine" and len(parts) > 1 else None


@pytest.mark.parametrize("path", _modules(), ids=_name)
def test_a_module_imports_only_from_floors_below_or_its_own_room(path: Path) -> None:
    own = path.relative_to(ENGINE).parts[0].removesuffix(".py")
    if own in ("__init__", "__main__"):
        return
    assert own in FLOORS, f"{own} has no floor: give it one in design and here"
    for module in _imports(path):
        room = _room(module)
        if room is None or room in (own, "__version__"):
            continue
        assert room in FLOORS, f"{_name(path)} imports {module}"
        assert FLOORS[room] < FLOORS[own], (
            f"{_name(path)} (floor {FLOORS[own]}) imports {module} (floor {FLOORS[room]})"
        )


@pytest.mark.parametrize("path", _modules(), ids=_name)
def test_a_library_is_imported_only_in_its_home(path: Path) -> None:
    for module in _imports(path):
        homes = HOMES.get(module.split(".")[0])
        assert homes is None or _name(path).startswith(homes), f"{module} has its home in {homes}, not in {_name(path)}"


@pytest.mark.parametrize("path", _modules(), ids=_name)
def test_a_module_says_what_lives_in_it_and_what_it_offers(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree), f"{_name(path)} begins with one sentence that says what lives there"
    public = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    if public:
        module = importlib.import_module(_name(path).removesuffix("/__init__.py").removesuffix(".py").replace("/", "."))
        assert hasattr(module, "__all__"), f"{_name(path)} has no __all__"
        assert set(public) <= set(module.__all__), f"{set(public) - set(module.__all__)} is public and not in __all__"
        assert all(hasattr(module, name) for name in module.__all__)


def test_there_are_no_grab_bags() -> None:
    bags = {"utils", "util", "helpers", "common", "manager", "misc", "core"}
    assert not [_name(path) for path in _modules() if path.stem in bags or bags & set(path.relative_to(ENGINE).parts)]


def test_no_module_shadows_a_standard_one() -> None:
    import sys

    tops = {info.name for info in pkgutil.iter_modules(engine.__path__)}
    assert not {name for name in tops if name in sys.stdlib_module_names} - {"errors", "text"}


def test_no_committed_file_names_a_registry_host() -> None:
    """No file names a registry's host, lock files first."""
    hosts = re.compile(r"files\.python" + r"hosted|registry\.npm" + r"js|deb\.deb" + r"ian\.org|py" + r"pi\.org/simple")
    for pattern in ("*.lock", "*.toml", "scripts/*", ".ci/*", "*.md", "docs/*.md"):
        for path in ROOT.glob(pattern):
            if path.is_file():
                assert not hosts.search(path.read_text("utf-8")), _name(path)
