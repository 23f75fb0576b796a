"""Rayyan: decisions from the log, or from the notes of the articles."""

from raters.reading.formats.rayyan import RAYYAN as FORMAT
from tests.raters.reading.made_files import RAYYAN_ARTICLES, RAYYAN_LOG, RAYYAN_NOTED
from tests.raters.reading.read import Read, files_of


def log_read(more: str = "", **chosen: str) -> Read:
    contents = {"r/articles.csv": RAYYAN_ARTICLES, "r/customizations_log.csv": RAYYAN_LOG + more}
    return Read(FORMAT, files_of(contents), **chosen)


def test_the_last_event_wins():
    assert log_read().values("included") == {
        ("rayyan-101", "anna@x.org"): "include",
        ("rayyan-101", "ben@x.org"): "exclude",
        ("rayyan-102", "ben@x.org"): "maybe",
    }


def test_the_last_event_is_the_latest_not_the_lowest_in_the_file():
    earlier = "rayyan-101,7,anna@x.org,included,-1,2026-03-02 09:00:00\n"

    assert log_read(earlier).values("included")["rayyan-101", "anna@x.org"] == "include"


def test_a_reason_that_was_taken_back_does_not_count():
    assert log_read().values("exclusion reasons") == {("rayyan-101", "ben@x.org"): ("wrong population",)}


def test_a_deleted_decision_is_none():
    deleted = "rayyan-102,8,ben@x.org,deleted,included,2026-03-02 12:00:00\n"

    assert ("rayyan-102", "ben@x.org") not in log_read(deleted).values("included")


def test_other_keys_are_labels():
    read = log_read()

    assert read.values("labels")["rayyan-102", "ben@x.org"] == ("cohort",)
    assert read.values("labels")["rayyan-101", "anna@x.org"] == ()


def test_the_rater_may_be_the_id_and_articles_are_items():
    read = log_read(rater="user_id")

    assert set(read.values("included")) >= {("rayyan-101", "7"), ("rayyan-101", "8")}
    assert read.items["rayyan-101"].content == {"title": "Soup", "abstract": "On soup."}
    assert not read.items["rayyan-101"].attributes


def test_notes_of_the_articles_are_read_where_there_is_no_log():
    read = Read(FORMAT, files_of({"articles.csv": RAYYAN_NOTED}))

    assert read.values("included") == {("rayyan-101", "Anna"): "include", ("rayyan-101", "Ben"): "exclude"}
    assert [label.note for label in read.labels] == ["", "not soup"]
    assert read.left_out == {
        "labels without a reviewer": 1,
        "exclusion reasons without a reviewer": 1,
    }


def test_a_decision_that_is_none_is_a_fault():
    read = log_read("rayyan-102,7,anna@x.org,included,7,2026-03-02 11:01:00\n")

    assert [(fault.line, fault.column, fault.code) for fault in read.faults.listed] == [
        (10, "value", "bad_value")
    ]
