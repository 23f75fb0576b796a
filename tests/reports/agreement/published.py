"""Labels from the literature, for the tests."""

from tests.reports.agreement.samples import from_counts, from_lines

# Krippendorff 2011, Computing Krippendorff's alpha-reliability, example C.
KRIPPENDORFF_2011 = from_lines(
    "123321412...", "1233224125.3", ".3332342251.", "12332441251.", categories="12345"
)
# Gwet 2014, Handbook, table of four raters (irrCAC's cac.raw4raters).
GWET_4_RATERS = from_lines("123321412...", "1233224125..", ".33323422513", "12332441251.", categories="12345")
# Hayes & Krippendorff 2007, Communication Methods and Measures 1, 77-89: 40 news articles, 5 observers.
HAYES_KRIPPENDORFF_2007 = from_lines(
    "112.001122.01311211000201001111223222221",
    "1130000.21102311121000302102111122222221",
    "203000222100221123001.30.1012202.2232.21",
    "2..0001.2....3112..0.0..2.0..20.2.2222.1",
    ".13....0.10022...31.103021122..122...12.",
    categories="0123",
)
# Fleiss 1971, Psychological Bulletin 76, 378-382: 30 patients, 6 psychiatrists, 5 diagnoses.
FLEISS_1971_COUNTS = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
    [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6], [1, 0, 0, 5, 0], [1, 1, 0, 4, 0],
    [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1], [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0],
    [0, 2, 0, 4, 0], [1, 0, 2, 0, 3], [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0],
    [1, 0, 0, 4, 1], [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
]  # fmt: skip
FLEISS_1971 = from_counts(FLEISS_1971_COUNTS)
# The worked example of the article "Fleiss' kappa" of the English Wikipedia: 10 items, 14 raters.
WIKIPEDIA_COUNTS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
WIKIPEDIA = from_counts(WIKIPEDIA_COUNTS)
# R irr 0.84.1, data set anxiety: 20 subjects, 3 raters, a scale from 1 to 6.
ANXIETY = from_lines(
    "33345523522615221243", "36462424332333221334", "21443216111233113322", categories="123456"
)
