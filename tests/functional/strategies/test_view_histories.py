"""Generated histories of four relations: the log of a view has the changes that comparing the whole view finds."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from dbt.tests.util import run_dbt
from functional.macros.generated import collect, content
from hypothesis import strategies as st
from joined import config, log_model, state_of
from pyspark.sql import SparkSession
from unit.macro_harness import Macros, Relation
from workbench import SEVERAL, SPARING

HISTORIES = 40
STATES = 3
IDS = st.integers(1, 3)
TEXTS = st.sampled_from([None, "a", "b"])
# Name: its columns, how many of them are its key, and its rows' values.
TABLES: dict[str, tuple[str, int, Any]] = {
    "students": ("student_id int, name string", 1, st.tuples(IDS, TEXTS)),
    "enrolments": ("student_id int, course_id int, room string", 2, st.tuples(IDS, IDS, TEXTS)),
    "courses": ("course_id int, title string, teacher_id int", 1, st.tuples(IDS, TEXTS, st.none() | IDS)),
    "teachers": ("teacher_id int, teacher string", 1, st.tuples(IDS, TEXTS)),
}
KEYS = {
    name: ["case_id", *(column.split()[0] for column in columns.split(", ")[:size])]
    for name, (columns, size, _) in TABLES.items()
}
STATE_OF_TEACHERS = f"{state_of('teachers_changes', KEYS['teachers'])} as teachers"
SOURCES = {name: f"global_temp.{name} as {name}" for name in TABLES}
REST = "enrolments.room, courses.title, courses.teacher_id, teachers.teacher"
COLUMNS = ["case_id", "student_id", "course_id", "name", "room", "title", "teacher_id", "teacher"]
SCHEMA = ", ".join(f"{name} {'int' if name.endswith('_id') else 'string'}" for name in COLUMNS)
CASE = {"case_id": "case_id"}


def within_a_case(mapping: Any) -> Any:
    """A mapping, or several of one log, by which rows of a case touch rows of that case alone."""
    return [CASE | each for each in mapping] if isinstance(mapping, list) else CASE | mapping


def joined(kind: str, select: str, names: list[str], on: dict[str, str], read: Mapping[str, str] = SOURCES) -> str:
    """A join of relations; every condition holds within a case."""
    lines = [f"-- {{{{ ref('{name}_changes') }}}}" for name in names]
    lines.append(f"select {select} from {read[names[0]]}")
    lines += [f"{kind} join {read[name]} on {names[0]}.case_id = {name}.case_id and {on[name]}" for name in names[1:]]
    return "\n".join(lines)


ON = {
    "enrolments": "students.student_id = enrolments.student_id",
    "courses": "enrolments.course_id = courses.course_id",
    "teachers": "courses.teacher_id = teachers.teacher_id",
}
ORDER = ["students", "enrolments", "courses", "teachers"]
STUDENT = "students.case_id, students.student_id, enrolments.course_id, students.name"
# Name: the select, and how the relations are mapped, the root first.
VIEWS: dict[str, tuple[str, dict[str, Any]]] = {
    # Students and courses, many to many. Of an enrolment only the room is mapped, which may be null.
    "of_students": (
        joined("left", f"{STUDENT}, {REST}", ORDER, ON),
        {
            "students_changes": {"student_id": "student_id"},
            "enrolments_changes": {"room": "room"},
            "courses_changes": {"course_id": "course_id"},
            "teachers_changes": {"teacher_id": "teacher_id"},
        },
    ),
    # The other way round, all of whom have partners; an enrolment tells its course itself.
    "of_courses": (
        joined(
            "inner",
            f"courses.case_id, enrolments.student_id, courses.course_id, students.name, {REST}",
            ["courses", "enrolments", "students", "teachers"],
            {
                "enrolments": "courses.course_id = enrolments.course_id",
                "students": "enrolments.student_id = students.student_id",
                "teachers": ON["teachers"],
            },
            SOURCES | {"teachers": STATE_OF_TEACHERS},
        )
        + "\nwhere students.name is distinct from 'b'",
        {
            "courses_changes": {"course_id": "course_id"},
            "enrolments_changes": {"course_id": "course_id"},
            "students_changes": {"student_id": "student_id"},
            "teachers_changes": {"teacher_id": "teacher_id"},
        },
    ),
    # One log joined twice.
    "of_enrolments": (
        """
        -- {{ ref('enrolments_changes') }}, {{ ref('teachers_changes') }}
        select e.case_id, e.student_id, e.course_id, one.teacher as name, e.room,
            cast(null as string) as title, cast(null as int) as teacher_id, two.teacher
        from global_temp.enrolments as e
        left join global_temp.teachers as one on e.case_id = one.case_id and e.student_id = one.teacher_id
        left join global_temp.teachers as two on e.case_id = two.case_id and e.course_id = two.teacher_id
        """,
        {
            "enrolments_changes": {"student_id": "student_id", "course_id": "course_id"},
            "teachers_changes": [{"teacher_id": "student_id"}, {"teacher_id": "course_id"}],
        },
    ),
    # The root joined to itself, a course to another one.
    "of_pairs": (
        """
        -- {{ ref('courses_changes') }}
        select c.case_id, cast(null as int) as student_id, c.course_id, cast(null as string) as name,
            cast(null as string) as room, c.title, c.teacher_id, other.title as teacher
        from global_temp.courses as c
        left join global_temp.courses as other on c.case_id = other.case_id and c.teacher_id = other.course_id
        """,
        {"courses_changes": [{"course_id": "course_id"}, {"course_id": "teacher_id"}]},
    ),
    # Counts, a place within the anchor, and rows that have no partner.
    "of_counts": (
        """
        -- {{ ref('students_changes') }}, {{ ref('enrolments_changes') }}, {{ ref('teachers_changes') }}
        select s.case_id, s.student_id, cast(null as int) as course_id, max(s.name) as name, max(e.room) as room,
            cast(null as string) as title, cast(count(e.course_id) as int) as teacher_id,
            cast(null as string) as teacher
        from global_temp.students as s
        left join global_temp.enrolments as e on s.case_id = e.case_id and s.student_id = e.student_id
        where not exists (
            select 1 from global_temp.teachers as t where s.case_id = t.case_id and s.student_id = t.teacher_id
        )
        group by s.case_id, s.student_id
        """,
        {
            "students_changes": {"student_id": "student_id"},
            "enrolments_changes": {"student_id": "student_id"},
            "teachers_changes": {"teacher_id": "student_id"},
        },
    ),
    # Two relations, one below the other; each brings anchors of its own.
    "of_people": (
        """
        -- {{ ref('students_changes') }}, {{ ref('teachers_changes') }}
        select case_id, student_id, 0 as course_id, name, cast(null as string) as room, cast(null as string) as title,
            cast(null as int) as teacher_id, cast(null as string) as teacher
        from global_temp.students
        union all
        select case_id, teacher_id, 1, teacher, null, null, null, null from global_temp.teachers where teacher = 'a'
        """,
        {"students_changes": {"student_id": "student_id"}, "teachers_changes": {"teacher_id": "student_id"}},
    ),
}
VIEW_KEY = ["case_id", "student_id", "course_id"]
CHANGE = ["_change_type", "_changed_columns", *(f"_before.{name}" for name in COLUMNS[3:])]

State = dict[str, dict[tuple[Any, ...], tuple[Any, ...]]]


@st.composite
def histories(draw: st.DrawFn) -> list[State]:
    """Each state keeps most rows of the last one; some go, some come, some change."""
    state: State = {name: {} for name in TABLES}
    history = []
    for _ in range(STATES):
        state = {
            name: {key: row for key, row in rows.items() if draw(st.integers(0, 5))} for name, rows in state.items()
        }
        for name, (_, size, values) in TABLES.items():
            for row in draw(st.lists(values, min_size=1, max_size=4)):
                state[name][row[:size]] = row
        history.append(state)
    return history


@pytest.mark.usefixtures("deltawave_package", "interpreted")
class TestViewHistories:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        logs = {
            f"{name}_changes.sql": log_model(name, key).replace("{{ target.schema }}", "global_temp")
            for name, key in KEYS.items()
        }
        views = {
            f"{name}.sql": config(
                strategy="view",
                unique_key=VIEW_KEY,
                max_delete_fraction=1,
                allow_empty=True,
                root=next(iter(relations)),
                relations={log: within_a_case(relations[log]) for log in sorted(relations)},
            )
            + select
            for name, (select, relations) in VIEWS.items()
        }
        return logs | views

    def test_a_view_gives_the_changes_of_the_whole_view(self, project: Any, spark: SparkSession) -> None:
        cases = collect(histories(), HISTORIES, derandomize=True)
        macros = Macros(run_query=lambda sql: [tuple(row) for row in spark.sql(sql).collect()])
        kinds: Counter[str] = Counter()
        for step in range(STATES):
            for name, (columns, _, _) in TABLES.items():
                rows = [(case, *row) for case, history in enumerate(cases) for row in history[step][name].values()]
                frame = spark.createDataFrame(rows, f"case_id int, {columns}").coalesce(1)
                frame.createOrReplaceGlobalTempView(name)
            run_dbt(["run", *SPARING, *SEVERAL])
            for name, (select, _) in VIEWS.items():
                now = spark.sql(whole(select, macros, project.test_schema)).select(*COLUMNS).collect()
                frame = spark.createDataFrame([tuple(row) for row in now], SCHEMA)
                frame.createOrReplaceGlobalTempView(f"{name}_now")
                log = f"{project.test_schema}.{name}"
                state = spark.sql(macros.current_state(Relation(log), VIEW_KEY)).select(*COLUMNS).collect()
                assert counted(state) == counted(now), (name, step)
                if step:
                    relations = [Relation(f"global_temp.{name}_{when}") for when in ("before", "now")]
                    expected = spark.sql(macros.diff(*relations, unique_key=VIEW_KEY)).selectExpr(*COLUMNS, *CHANGE)
                    last = f"_batch_id = (select max(batch_id) from {log}__batches)"
                    found = spark.table(log).where(last).selectExpr(*COLUMNS, *CHANGE).collect()
                    assert counted(found) == counted(expected.collect()), (name, step)
                    kinds.update(row._change_type for row in found)
                frame.createOrReplaceGlobalTempView(f"{name}_before")
        assert set(kinds) == {"insert", "update", "delete"}


def whole(select: str, macros: Macros, schema: str) -> str:
    """The view's select as Spark takes it."""
    for name, key in KEYS.items():
        state = macros.current_state(Relation(f"{schema}.{name}_changes"), key)
        select = select.replace(state_of(f"{name}_changes", key), f"({state})")
    return select


def counted(rows: list[Any]) -> Counter[Any]:
    return Counter(content(tuple(row)) for row in rows)
