"""The labels of four raters of Gwet's, as a file."""

# Gwet 2014, table of four raters: a line for each rater, a character for each item.
GWET_LINES = ["123321412...", "1233224125..", ".33323422513", "12332441251."]

GWET = "item,rater,label\n" + "".join(
    f"i{item:02},r{rater},{label}\n"
    for rater, line in enumerate(GWET_LINES, 1)
    for item, label in enumerate(line)
    if label != "."
)

SCALE = ["--categories", "1,2,3,4,5", "--level", "ordinal"]
