"""Every reason that the library has is said in words."""

from reports.agreement.results import Reason
from reports.analysis.reasons import REASONS, words_of


def test_every_reason_has_words():
    assert set(REASONS) == set(Reason) - {Reason.NONE}


def test_no_reason_has_no_words():
    assert words_of("").short == words_of("").phrase == words_of("").long == ""
