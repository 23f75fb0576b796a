"""manage.py agreement that reads coefficients on a scale or by thresholds of one's own; no database."""

from tests.reports.files.gwet import GWET, SCALE


def test_words_of_a_scale_come_with_the_coefficients_it_was_made_for(run_agreement, question):
    """Gwet 2014: AC1 .77544 is no kappa, so that the scale of Landis & Koch says nothing of it."""
    found = question(GWET, "--scale", "landis_koch")

    kappa = found["readings"]["fleiss_kappa"]
    assert (kappa["word"], kappa["probabilistic"]["word"]) == ("substantial", "moderate")
    assert kappa["source"] == "Landis & Koch 1977, Biometrics 33, 159"
    assert not found["readings"].keys() & {"gwet_ac1", "krippendorff_alpha", "percent_agreement"}
    assert {pair["reading"]["word"] for pair in found["pairs"]} <= {
        "moderate",
        "substantial",
        "almost perfect",
    }
    assert "readings" not in question(GWET)
    assert "reading" not in question(GWET)["pairs"][0]
    text = run_agreement(GWET, "--scale", "landis_koch")
    assert "Interpretation: Landis & Koch 1977" in text
    assert "0.761  substantial  moderate to almost perfect" in text
    assert text.count("at least moderate") >= 2


def test_weighted_kappas_are_not_read_on_a_scale_for_plain_ones(question):
    found = question(GWET, *SCALE, "--weights", "linear", "--scale", "landis_koch")

    assert {"fleiss_kappa", "light_kappa"} <= found["readings"].keys()
    assert not found["readings"].keys() & {"fleiss_kappa_weighted", "mean_pairwise_kappa"}
    assert {pair["reading"] is None for pair in found["pairs"]} == {True}


def test_the_mean_of_weighted_pairs_is_named_so(run_agreement):
    assert "Mean pairwise kappa, weighted" in run_agreement(GWET, *SCALE, "--weights", "linear")
    assert "Mean pairwise kappa, weighted" not in run_agreement(GWET, *SCALE, "--weights", "unweighted")


def test_a_scale_for_other_coefficients_says_so(run_agreement):
    text = run_agreement(GWET, "--scale", "koo_li")

    assert "The scale applies to none of these coefficients." in text


def test_thresholds_of_ones_own_are_read_for_what_they_are_for(question, run_agreement):
    own = ["--thresholds", "ac", "fair=.4, good=.6"]

    found, text = question(GWET, *SCALE, *own)["readings"], run_agreement(GWET, *SCALE, *own)

    # AC1 .7754 with SE .1429: 95% certain of fair alone.
    assert {name: each["word"] for name, each in found.items()} == {"gwet_ac1": "good", "gwet_ac2": "good"}
    assert found["gwet_ac1"]["probabilistic"]["word"] == "fair"
    assert "Interpretation: your own thresholds" in text
