"""Writes the page of the API from the docstrings of the package.

    PYTHONPATH=build/python /usr/bin/python3 docs/make-api.py            # writes docs/python-api.md
    PYTHONPATH=build/python /usr/bin/python3 docs/make-api.py --missing  # names what has no docstring

Members of classes that are bound in C++ have their signatures from taut/_taut.pyi. What has a leading underscore, and what is
bound in C++ without a docstring, is not for users and left out.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any, Iterable, Iterator, NamedTuple

SOURCE = Path(__file__).resolve().parents[1]
PAGE = SOURCE / "docs/python-api.md"
WIDTH = 100  # of a signature in one line
CONSTRUCTED = ("Model", "InputError", "RunError")  # by users, with a constructor that needs no words

HEAD = """\
# The Python API

Made from the docstrings by `docs/make-api.py`; `help(taut.Model)` says the same. [First steps](python.md) explains how it
belongs together. Everything is in SI units: m, kg, s, N, N m, J, rad. In shapes of arrays T stands for times, N for nodes,
C for cables, B for bars.
"""

# Heading, words of introduction, and what stands below it, by its name in the package.
GROUPS: list[tuple[str, str, list[str]]] = [
    ("Models", "", ["load", "loads", "generate", "generators", "Model"]),
    ("Answers", "What the questions of a model return: about a structure at rest, and how a run changes.", ["_answers:*"]),
    ("Runs", "", ["open", "Run", "Event", "Plot"]),
    ("Simulations", "", ["Simulation", "Snapshot", "Observation"]),
    ("Batches", "", ["Batch", "BatchRows"]),
    ("Sweeps", "", ["sweep", "Sweep"]),
    ("Environments", "", ["envs:*", "envs.spaces:*"]),
    ("Errors", "", ["InputError", "RunError", "Interrupted", "Place"]),
]


class Signature(NamedTuple):
    parameters: list[str]  # as they are written, without self
    returns: str  # empty: nothing


@functools.cache
def stubs() -> dict[str, dict[str, ast.FunctionDef]]:
    """The methods of classes that are bound in C++."""
    import taut

    tree = ast.parse(Path(taut.__file__).with_name("_taut.pyi").read_text(encoding="utf-8"))
    return {
        node.name: {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }


def stub_signature(owner: str, name: str) -> inspect.Signature:
    """Of a method in the stub: a function that is nothing but this signature."""
    node = stubs()[owner][name]
    empty = ast.FunctionDef("f", node.args, [ast.Pass()], [], node.returns, lineno=0)
    names: dict[str, Any] = {}
    exec("from __future__ import annotations\n" + ast.unparse(empty), names)
    return inspect.signature(names["f"])


def signature_of(owner: type | None, name: str, member: Any) -> Signature:
    bound = owner is not None and owner.__module__ == "taut._taut"
    signature = stub_signature(owner.__name__, name) if bound and owner else inspect.signature(member)
    parameters: list[str] = []
    before = None
    kinds = inspect.Parameter
    for parameter in signature.parameters.values():
        if before == kinds.POSITIONAL_ONLY and parameter.kind != before and parameters:
            parameters.append("/")
        if parameter.kind == kinds.KEYWORD_ONLY and before not in (kinds.KEYWORD_ONLY, kinds.VAR_POSITIONAL):
            parameters.append("*")
        before = parameter.kind
        if parameter.name in ("self", "cls", "draft"):
            continue
        stars = "*" if parameter.kind == kinds.VAR_POSITIONAL else "**" if parameter.kind == kinds.VAR_KEYWORD else ""
        text = stars + parameter.name
        if parameter.annotation is not kinds.empty:
            text += f": {annotation(parameter.annotation)}"
        if parameter.default is not kinds.empty:
            text += f" = {default(parameter.default)}" if ": " in text else f"={default(parameter.default)}"
        parameters.append(text)
    returns = signature.return_annotation
    return Signature(parameters, "" if returns in (kinds.empty, None, "None") else annotation(returns))


def annotation(kind: Any) -> str:
    text = kind if isinstance(kind, str) else inspect.formatannotation(kind)
    return text.replace("_answers.", "")


def default(value: Any) -> str:
    return "inf" if value == float("inf") else "-inf" if value == float("-inf") else repr(value)


def shown(name: str, signature: Signature) -> str:
    """As an indented block: in one line, or with a line for each parameter."""
    arrow = f" -> {signature.returns}" if signature.returns else ""
    line = f"    {name}({', '.join(signature.parameters)}){arrow}\n"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"    {name}(", *(f"        {p}," for p in signature.parameters), f"    ){arrow}\n"])


def text_of(member: Any) -> str:
    """The docstring, without the signature that pybind11 writes above it."""
    text = inspect.cleandoc(getattr(member, "__doc__", None) or "")
    name = getattr(member, "__name__", "")
    if name and re.match(rf"{re.escape(name)}\(.*\)( -> .*)?(\n|$)", text):
        text = text.partition("\n")[2]
    return text.strip()


def markdown(text: str) -> str:
    """Docstring to Markdown: examples are indented, "name: meaning" at the start of a line is an entry of a list."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.replace("``", "`")):
        lines = paragraph.split("\n")
        if lines[0].startswith((">>> ", "    ")):
            indent = "    " if lines[0].startswith(">>> ") else ""
            paragraphs.append("\n".join((indent + re.sub(r"^(>>>|\.\.\.) ?", "", line)).rstrip() for line in lines))
        elif re.match(r"[a-z_]+(, [a-z_]+)*: ", lines[0]):
            items = [re.sub(r"^([a-z_]+(?:, [a-z_]+)*): ", names_as_code, line) for line in lines]
            paragraphs.append("\n".join(item if item.startswith("- ") else "  " + item.strip() for item in items))
        else:
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs) + "\n"


def names_as_code(found: re.Match[str]) -> str:
    return "- " + ", ".join(f"`{name}`" for name in found[1].split(", ")) + ": "


@functools.cache
def shown_names() -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for _, _, names in GROUPS for name, _ in found(names))


def bases_of(cls: type) -> list[str]:
    """Of which a reader has heard: those on the page, and Python's exceptions."""
    names = [base.__name__ for base in cls.__bases__ if base.__module__ == "builtins" or base.__name__ in shown_names()]
    return [name for name in names if name not in ("object", "tuple")]


def members_of(cls: type) -> Iterator[tuple[str, type, Any]]:
    """Public members in the order of their definition: its own, and those of a base that is bound in C++."""
    seen: dict[str, tuple[str, type, Any]] = {}
    for base in reversed(cls.__mro__):
        if base is not cls and base.__module__ != "taut._taut":
            continue
        for name, member in vars(base).items():
            if name.startswith("_") or (base.__module__ == "taut._taut" and not text_of(member)):
                continue
            seen[name] = (name, base, member)
    yield from seen.values()


def is_value(member: Any) -> bool:
    """What is read without a call."""
    return isinstance(member, (property, functools.cached_property)) or inspect.isdatadescriptor(member)


def attribute_texts(cls: type, types: bool = False) -> dict[str, str]:
    """Of annotated attributes: the string below each; where there is none, nothing or the type."""
    try:
        tree = ast.parse(inspect.getsource(cls))
    except (OSError, TypeError, IndentationError):
        return {}
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    texts = {}
    for node, after in zip(body, [*body[1:], None]):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not node.target.id.startswith("_"):
            told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            kind = f"`{ast.unparse(node.annotation)}`" if types else ""
            texts[node.target.id] = inspect.cleandoc(str(after.value.value)) if told else kind  # type: ignore[union-attr]
    return texts


def cell(text: str) -> str:
    text = " ".join(text.replace("``", "`").split()).replace("|", "\\|")
    return text.removesuffix(".") if text.count(". ") == 0 and not text.endswith("...") else text


def section_of_class(name: str, cls: type) -> Iterator[str]:
    yield f"### {name}\n"
    constructor = vars(cls).get("__init__")
    words = text_of(constructor) if inspect.isfunction(constructor) else ""
    if words or cls.__name__ in CONSTRUCTED:
        yield shown(name, signature_of(cls, "__init__", constructor))
    if bases_of(cls):
        yield "Inherits from " + " and ".join(f"`{base}`" for base in bases_of(cls)) + ".\n"
    yield markdown(text_of(cls))
    if words:
        yield markdown(words)
    values = [(n, text_of(m)) for n, _, m in members_of(cls) if is_value(m)]
    told = attribute_texts(cls, types=True)
    values = [(n, told.get(n) or text) for n, text in values]
    values += [(n, text) for n, text in told.items() if n not in dict(values)]
    if hasattr(cls, "_fields"):
        values = [(n, "") for n in cls._fields]
    if any(text for _, text in values):
        yield "| | |\n|---|---|\n" + "".join(f"| `{n}` | {cell(text)} |\n" for n, text in values)
    elif values:
        yield "Fields: " + ", ".join(f"`{n}`" for n, _ in values) + ".\n"
    for member_name, owner, member in members_of(cls):
        method = getattr(member, "__func__", member)
        if not callable(method) or is_value(member) or inspect.isclass(method) or not text_of(method):
            continue
        yield f"#### {name}.{member_name}\n"
        yield shown(member_name, signature_of(owner, member_name, method))
        yield markdown(text_of(method))


def section_of(name: str, item: Any) -> Iterator[str]:
    if inspect.isclass(item):
        yield from section_of_class(name, item)
    else:
        yield f"### {name}\n"
        yield shown(name, signature_of(None, name, item))
        yield markdown(text_of(item))


def found(names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """What stands in a group; of a module with a star what it names in __all__: of a hidden one the classes."""
    import taut

    for name in names:
        module_name, _, star = name.partition(":")
        if not star:
            yield "taut." + name, getattr(taut, name)
            continue
        module = importlib.import_module("taut." + module_name)
        hidden = module_name.startswith("_")
        for item_name in module.__all__:
            item = getattr(module, item_name)
            if not inspect.ismodule(item) and (inspect.isclass(item) or not hidden):
                path = "" if hidden else module_name + "."
                yield f"taut.{path}{item_name}" if not hidden or item_name in taut.__all__ else item_name, item


def page() -> str:
    parts = [HEAD]
    for heading, words, names in GROUPS:
        sections = [section for name, item in found(names) for section in section_of(name, item)]
        parts += [f"## {heading}\n", *([words + "\n"] if words else []), *sections]
    return "\n".join(parts)


def described(cls: type, name: str) -> bool:
    """By words of its own or of a base; what stands in slots, by the words of its class."""
    slots = getattr(cls, "__slots__", ())
    return name in slots or any(text_of(vars(base)[name]) for base in cls.__mro__ if name in vars(base))


def missing() -> list[str]:
    """What has no docstring."""
    names = []
    for _, _, group in GROUPS:
        for name, item in found(group):
            if not text_of(item):
                names.append(name)
            if inspect.isclass(item):
                told = attribute_texts(item)
                names += [f"{name}.{n}" for n, _, _ in members_of(item) if not described(item, n) and not told.get(n)]
    return names


if __name__ == "__main__":
    if sys.argv[1:] == ["--missing"]:
        print("\n".join(missing()))
    else:
        PAGE.write_text(page(), encoding="utf-8")
