"""The pages do what they say: every ```python block of README.md and docs/ runs.

The blocks of a page run in their order and share one namespace, in a scratch folder with links to models/ and docs/.
The line above a block says what becomes of it:

    <!-- file NAME -->          a block of any language is written to NAME, and not run
    <!-- prints -->             a block of any language: what the python block before must have printed, compared as
                                tests/house/page.sh compares: "..." stands for any text, numbers agree within 1 %
    <!-- not run: reason -->    the block is left alone
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import traceback
from pathlib import Path
from typing import Any, Iterator, NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parents[2]
PRINTS = SOURCE / "tests/house/page_prints.awk"


class Block(NamedTuple):
    line: int  # of its first line
    language: str
    mark: str
    text: str


class PageError(AssertionError):
    """A page that does not do what it says; the message begins with page and line."""


def blocks_of(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, as tests/house/page_blocks.awk cuts them."""
    fence, mark, language, begin = "", "", "", 0
    text: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if fence:
            if line.rstrip() == fence:
                yield Block(begin, language, mark, "".join(text))
                fence, mark = "", ""
            else:
                text.append(line + "\n")
        elif opening := re.fullmatch(r"(`{3,})(.*)", line):
            fence, language, begin, text = opening[1], opening[2].strip(), number + 1, []
        else:
            note = re.fullmatch(r"<!-- (.*) -->\s*", line)
            mark = note[1] if note else ""


def failing_line(error: BaseException, page: Path, block: Block) -> int:
    """The last line of the page that the error passed through."""
    if isinstance(error, SyntaxError) and error.filename == str(page) and error.lineno:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(page)]
    return lines[-1] or block.line if lines else block.line


def run_block(page: Path, block: Block, names: dict[str, Any]) -> str:
    """What the block printed."""
    said = io.StringIO()
    try:
        # Lines of the block are lines of the page.
        code = compile("\n" * (block.line - 1) + block.text, str(page), "exec", dont_inherit=True)
        with contextlib.redirect_stdout(said):
            exec(code, names)
    except Exception as error:
        line = failing_line(error, page, block)
        raise PageError(f"{page}:{line}: {type(error).__name__}: {error}\n{said.getvalue()}") from error
    return said.getvalue()


def require_printed(page: Path, block: Block, said: str) -> None:
    Path(".shown").write_text(block.text, encoding="utf-8")
    if subprocess.run(["awk", "-v", "shown=.shown", "-f", PRINTS], input=said, text=True, check=False).returncode:
        raise PageError(
            f"{page}:{block.line - 1}: the block before does not print this\n--- the page shows\n{block.text}"
            f"--- printed now\n{said}"
        )


def run_page(page: Path) -> int:
    """Do in the present folder what the page says; the number of blocks that ran. Raises PageError."""
    names: dict[str, Any] = {"__name__": "__main__"}
    said: str | None = None  # by the python block before, if the last block that is run is one
    ran = 0
    for block in blocks_of(page):
        if block.mark.startswith("file "):
            file = Path(block.mark.removeprefix("file "))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.mark == "prints":
            if said is not None:
                require_printed(page, block, said)
        elif block.language == "sh" and block.mark.startswith("runs"):
            said = None  # tests/house/page.sh compares
        elif block.language == "python" and not block.mark.startswith("not run: "):
            said = run_block(page, block, names)
            ran += 1
    return ran


def has_python(page: Path) -> bool:
    return "```python" in page.read_text(encoding="utf-8")


PAGES = sorted(filter(has_python, [SOURCE / "README.md", *SOURCE.glob("docs/**/*.md")]))


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("models", "docs"):
        os.symlink(SOURCE / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(SOURCE)))
def test_page(page: Path, scratch: Path) -> None:
    failure = ""
    try:
        run_page(page)
    except PageError as error:
        failure = str(error)
    if failure:
        pytest.fail(failure, pytrace=False)


def test_pages_are_found() -> None:
    assert SOURCE / "docs/python.md" in PAGES


# The test itself: sound pages pass, broken ones are told with page and line.

SOUND = """\
<!-- file sub/a.txt -->
```toml
x = 1
```
```python
text = open("sub/a.txt").read()
```
Later:

```python
print(text, 0.2501, "s")
```
<!-- prints -->
```text
x ... 1
 0.25 s
```
<!-- not run: a jest -->
```python
raise SystemExit
```
<!-- runs -->
```sh
echo not for this test
```
<!-- prints -->
```text
not for this test
```
"""


def test_sound_page_passes(scratch: Path) -> None:
    page = scratch / "page.md"
    page.write_text(SOUND)
    assert run_page(page) == 2


@pytest.mark.parametrize(
    "text, said",
    [
        ("Text\n```python\nx = 1\nassert x == 2, 'no'\n```\n", r"page\.md:4: AssertionError: no"),
        ("```python\nx = 1\n```\n\n```python\nx +\n```\n", r"page\.md:6: SyntaxError"),
        ("```python\ndef f():\n    raise KeyError('k')\n```\n```python\nf()\n```\n", r"page\.md:3: KeyError"),
        ("```python\nprint(1.02)\n```\n<!-- prints -->\n```text\n1.00\n```\n", r"page\.md:5: the block before does not"),
        ("```python\nprint('a b')\n```\n<!-- prints -->\n```text\na ... c\n```\n", r"page\.md:5: the block before"),
        ("```python\nimport no_such_module\n```\n", r"page\.md:2: ModuleNotFoundError"),
        ("```python\nimport taut\ntaut.load('models/none.toml')\n```\n", r"page\.md:3: InputError: .*none\.toml"),
    ],
)
def test_broken_page_fails(text: str, said: str, scratch: Path) -> None:
    page = scratch / "page.md"
    page.write_text(text)
    with pytest.raises(PageError, match=said):
        run_page(page)
