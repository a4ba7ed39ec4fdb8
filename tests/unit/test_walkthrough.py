"""Pages are carried out as they are written: what the reader of pages takes from them, and what it notices."""

import os
from pathlib import Path

import pytest
from walkthrough import carry_out, differences, steps

PAGE = """
# A page

```yaml
# conf/a.yml
name: a
```

```sh
cat conf/a.yml
echo "12:00:00  deltawave: a: batch 1: +1 -0 ~0 of 1, 3.7 s"
```

shows

```
# conf/a.yml
name: a
deltawave: a: batch 1: +1 -0 ~0 of 1, 0.1 s
```

```sh
folder=conf
echo "| id | name |"; echo "| -- | ---- |"; echo "|  1 |      |"
```

| id | name |
|---|---|
| 1 | |

Another table:

| a |
|---|
| 2 |

```sh
ls $folder
```
"""


def carried_out(page: str, folder: Path) -> list[str]:
    return list(differences(carry_out(page, folder, dict(os.environ))))


def test_files_commands_and_what_they_print_are_taken_from_a_page() -> None:
    found = [(step.path, step.printed, step.table.count("\n")) for step in steps(PAGE)]
    assert [path for path, *_ in found] == ["conf/a.yml", "", "", ""]
    assert [bool(printed) for _, printed, _ in found] == [False, True, False, False]
    assert [lines for *_, lines in found] == [0, 0, 4, 0]


def test_a_page_that_holds_is_like_its_commands_in_one_shell(tmp_path: Path) -> None:
    assert carried_out(PAGE, tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: a\ndeltawave", "name: b\ndeltawave"),
        ("+1 -0 ~0 of 1, 0.1 s", "+2 -0 ~0 of 1, 0.1 s"),
        ("| 1 | |", "| 1 | ann |"),
        ("| 1 | |\n", ""),
    ],
)
def test_what_is_printed_otherwise_is_noticed(old: str, new: str, tmp_path: Path) -> None:
    assert len(carried_out(PAGE.replace(old, new), tmp_path)) == 1


def test_a_line_that_the_page_does_not_show_is_noticed(tmp_path: Path) -> None:
    page = PAGE.replace("cat conf/a.yml\n", "cat conf/a.yml\necho 'nanobind: leaked 28 instances!' >&2\n")
    assert len(carried_out(page, tmp_path)) == 1


def test_a_command_that_fails_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="no such"):
        carried_out(PAGE.replace("ls $folder", "cat 'no such'"), tmp_path)


def test_a_block_that_is_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no name of a file"):
        steps("```yaml\nname: a\n```\n")
