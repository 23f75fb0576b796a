"""Files as the programs write them, made up."""

import json

from core.tables.faults import Faults
from core.tables.sources import bytes_of
from raters.reading.records import Format, InputFile, ItemRecord, LabelRecord, LeftOut, QuestionRecord


def sent(*named: tuple[str, str]) -> list[InputFile]:
    return [InputFile(name, bytes_of(text.encode())) for name, text in named]


class Reading:
    """All that a format makes of files."""

    def __init__(self, format_: Format, files, **chosen) -> None:
        self.left_out, self.faults = LeftOut(), Faults()
        chosen = {key.replace("__", "."): value for key, value in chosen.items()}
        records = list(format_.read(files, chosen, self.left_out, self.faults))
        self.left_out = +self.left_out
        self.labels = [record for record in records if isinstance(record, LabelRecord)]
        self.items = [record for record in records if isinstance(record, ItemRecord)]
        self.questions = {r.question: r for r in records if isinstance(r, QuestionRecord)}

    @property
    def values(self):
        return [(one.item, one.rater, one.question, one.value) for one in self.labels]


def lines(*records) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def result(name, control, **value):
    return {"id": f"r-{name}", "from_name": name, "to_name": "text", "type": control, "value": value}


def annotation(rater, *results, **more):
    return {"id": 501, "completed_by": rater, "was_cancelled": False, "result": list(results), **more}


def task(*annotations, **more):
    data = {"text": "Good soup, cold room", "site": "north"}
    return {"id": 101, "data": data, "meta": {"ward": 3}, "annotations": list(annotations), **more}


LABEL_STUDIO = json.dumps(
    [
        task(
            annotation(
                {"id": 3, "email": "anna@x.org"},
                result("tone", "choices", choices=["pos"]),
                result("stars", "rating", rating=4),
                result("ner", "labels", start=0, end=9, labels=["FOOD"]),
                lead_time=10.744,
                updated_at="2026-03-02T10:12:00.2Z",
            ),
            annotation(4, was_cancelled=True),
            predictions=[
                {"id": 9, "model_version": "clf-2", "result": [result("tone", "choices", choices=["neg"])]}
            ],
        )
    ],
    indent=1,
)
LABEL_STUDIO_MIN = json.dumps(
    [
        {
            "text": "Good soup",
            "site": "north",
            "id": 101,
            "tone": "pos",
            "stars": [{"rating": 4}],
            "annotator": 3,
            "annotation_id": 501,
            "lead_time": 10.744,
        }
    ]
)
LABEL_STUDIO_CSV = (
    '"annotation_id","annotator","id","lead_time","stars","text","tone"\n'
    '501,"anna@x.org",101,10.7,"[{""rating"": 4}]","Good soup","pos"\n'
    '502,"ben@x.org",101,9.1,"[{""rating"": 2}]","Good soup","neg"\n'
)

FINAL_LABELS = (
    "item,question,label,origin,n_raters,n_cannot_tell,share_agree,reason,note,for_guidelines,decided_by,decided_at,site\n"
    "i-1,tone,pos,unanimous,3,0,1.0,,,,,,north\n"
    "i-1,topics,{},majority,3,0,0.6666666666666666,,,,,,north\n"
    "i-2,tone,,adjudicated,2,1,,Rater slip,too dark,yes,ada,2026-03-02T10:12:00+00:00,south\n"
    "i-3,tone,'=1+1,reference,2,0,0.5,,,,,,\n"
    "i-4,tone,,none,2,0,0.5,,,,,,\n"
)
FINAL_LABELS_LINES = lines(
    *(
        {
            **{"item": item, "question": question, "label": label, "origin": origin},
            **{"n_raters": 2, "n_cannot_tell": 0, "share_agree": None, "reason": "", "note": ""},
            **{"for_guidelines": False, "decided_by": None, "decided_at": None},
        }
        for item, question, label, origin in (
            ("i-1", "tone", "pos", "majority"),
            ("i-1", "topics", ["food", "a|b"], "majority"),
            ("i-1", "size", 1.5, "majority"),
            ("i-2", "tone", None, "none"),
        )
    )
)
