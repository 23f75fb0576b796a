"""Files as other programs write them, made up by us."""

import json
import re
from typing import Any

from raters.reading.records import (
    InputFile,
)
from tests.raters.reading.made_inception import (
    ANNOTATIONS,
    ANNOTATIONS_JSON,
    ANNOTATIONS_SPANS,
    DIAGNOSIS,
    TSV3,
    cas_json,
    inception_project,
)
from tests.raters.reading.read import files_of

# Potato

POTATO_STATE = json.dumps(
    {
        "user_id": "anna",
        "instance_id_ordering": ["d1", "d2"],
        "instance_id_to_label_to_value": {
            "d1": [
                [{"schema": "tone", "name": "pos"}, "true"],
                [{"schema": "aspects", "name": "food"}, "true"],
                [{"schema": "aspects", "name": "room"}, "true"],
                [{"schema": "stars", "name": "scale_4"}, "4"],
                [{"schema": "tone", "name": "free_response"}, "so so"],
            ],
            "d2": [[{"schema": "tone", "name": "neg"}, "neg"]],
        },
        "instance_id_to_span_to_value": {
            "d1": [[{"schema": "ner", "name": "FOOD", "start": 0, "end": 9, "title": "", "id": "s1"}, "true"]]
        },
        "instance_id_to_behavioral_data": {
            "d1": {
                "total_time_ms": 9000,
                "annotation_changes": [
                    {
                        "timestamp": 1772445060.1,
                        "schema_name": "tone",
                        "label_name": "pos",
                        "old_value": None,
                        "new_value": "true",
                        "action": "select",
                    }
                ],
            }
        },
    }
)
POTATO_TABLE = (
    "instance_id,user_id,tone.pos,tone.neg,aspects.food,aspects.room,ner._spans\n"
    'd1,anna,true,,true,true,"[{""start"": 0, ""end"": 9}]"\n'
    "d2,anna,,true,,,\n"
    "001,ben,true,,,,\n"
)
POTATO_LINES = (
    '{"instance_id":"d1","user_id":"anna","labels":{"tone":{"pos":"true"}},"spans":{"ner":[{}]},"links":{}}\n'
    '{"instance_id":"d1","user_id":"ben","labels":{"tone":{"neg":"true"}},"spans":{},"links":{"of":[{},{}]}}\n'
)

# brat

BRAT_ANNA = (
    "T1\tTitle 0 4\tGood\nT2\tPlace 11 15;20 24\tCold room\nA1\tTone T1 pos\nA2\tNegated T2\nA3\tSpam T1\n"
    "R1\tIn Arg1:T1 Arg2:T2\nE1\tServe:T1 What:T2\n*\tEquiv T1 T2\nN1\tReference T1 wiki:123\tsoup\n"
    "#1\tAnnotatorNotes A1\twhich soup?\n#2\tAnnotatorNotes T2\tcold\n"
)
BRAT = {
    "anna/d1.ann": BRAT_ANNA,
    "anna/d1.txt": "Good soup, cold room",
    "anna/d2.ann": "",
    "anna/d2.txt": "Cold",
    "ben/d1.ann": "T1\tTitle 0 4\tGood\nA1\tTone T1 neg\n",
    "ben/d1.txt": "Good soup, cold room",
}

# REFI-QDA

ANNA, BEN = "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"
FOOD, SOUP = "44444444-4444-4444-8444-444444444444", "44444444-4444-4444-8444-44444444444A"
QDE = f"""<?xml version="1.0" encoding="utf-8"?>
<Project xmlns="urn:QDA-XML:project:1.0" name="soups" origin="X 1">
 <Users><User guid="{ANNA}" name="Anna"/><User guid="{BEN}" name="Ben"/></Users>
 <CodeBook><Codes><Code guid="{FOOD}" name="Food" isCodable="true"><Description>…</Description>
  <Code guid="{SOUP}" name="Soup" isCodable="true"/></Code></Codes></CodeBook>
 <Variables><Variable guid="v1" name="site" typeOfVariable="Text"/></Variables>
 <Cases><Case guid="c1" name="North"><VariableValue><VariableRef targetGUID="v1"/><TextValue>north</TextValue>
  </VariableValue><SourceRef targetGUID="s1"/></Case></Cases>
 <Sources>
  <TextSource guid="S1" name="d1" plainTextPath="internal://s1.txt" creatingUser="{ANNA}">
   <PlainTextSelection guid="6" name="Good soup" startPosition="0" endPosition="9" creatingUser="{BEN}">
    <Coding guid="7"><CodeRef targetGUID="{FOOD}"/></Coding></PlainTextSelection>
   <PlainTextSelection guid="8" name="memo" startPosition="0" endPosition="9" creatingUser="{ANNA}"/>
   <Coding guid="9" creatingUser="{ANNA}" creationDateTime="2026-03-02T10:11:00Z"><CodeRef
    targetGUID="{SOUP.lower()}"/></Coding>
  </TextSource>
  <TextSource guid="S2" name="d2" plainTextPath="internal://s2.txt" creatingUser="{ANNA}">
   <Coding guid="10" creatingUser="{BEN}"><CodeRef targetGUID="{SOUP}"/></Coding>
   <Coding guid="11" creatingUser="{BEN}"><CodeRef targetGUID="{FOOD}"/></Coding>
  </TextSource>
 </Sources></Project>"""
REFI_QDA = {
    "soups/other name.qde": QDE,
    "soups/sources/s1.txt": "Good soup",
    "soups/sources/s2.txt": "Cold room",
}

# CVAT

CVAT = """<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version><meta><job><id>12</id><size>3</size><mode>annotation</mode>
  <assignee><username>anna</username><email>a@x.org</email></assignee>
  <labels><label><name>pos</name><type>tag</type><attributes><attribute><name>sure</name><input_type>select</input_type>
   <values>yes
no</values></attribute><attribute><name>why</name><input_type>text</input_type><values></values></attribute></attributes>
  </label><label><name>neg</name><type>tag</type><attributes/></label>
  <label><name>cat</name><type>rectangle</type><attributes/></label></labels></job>
  <dumped>2026-03-02 10:11:00+00:00</dumped></meta>
 <image id="0" name="d1.png" width="640" height="480">
  <tag label="pos" source="manual"><attribute name="sure">yes</attribute><attribute name="why">warm</attribute></tag>
  <tag label="neg" source="auto"></tag>
  <box label="cat" source="manual" xtl="10.0" ytl="20.0" xbr="110.0" ybr="220.0" z_order="0"></box></image>
 <image id="1" name="d2.png" width="640" height="480"></image>
 <image id="2" name="d3.png"><tag label="neg" source="consensus"/>
  <skeleton label="cat"><points label="1" points="1,2"/></skeleton></image>
</annotations>"""

# MTurk

MTURK_HEADER = (
    '"HITId","HITTypeId","Title","AssignmentId","WorkerId","AssignmentStatus","SubmitTime","RequesterFeedback",'
    '"WorkTimeInSeconds","Input.text","Answer.tone.label","Answer.aspects.food","Answer.aspects.room",'
    '"Answer.comment","Approve","Reject"\n'
)
MTURK = MTURK_HEADER + (
    '"3ABC","3T","Tone","A1","W1","Approved","Mon Mar 02 02:00:31 PST 2026","ok","31","Good soup","pos","true",'
    '"true","it was warm","",""\n'
    '"3ABC","3T","Tone","A2","W2","Rejected","Mon Jul 06 02:00:31 PDT 2026","","5","Good soup","neg","false",'
    '"false",""\n'
    '"3ABD","3T","Tone","A3","001","Submitted","Mon Mar 02 02:00:31 PST 2026","","31","Good soup","pos","true",'
    '"false",""\n'
    '"3ABE","3T","Tone","","","","","","","Cold room","","","",""\n'
)

# Toloka

TOLOKA = (
    "INPUT:text\tOUTPUT:tone\tOUTPUT:aspects\tGOLDEN:tone\tHINT:text\tASSIGNMENT:link\tASSIGNMENT:assignment_id\t"
    "ASSIGNMENT:task_id\tASSIGNMENT:worker_id\tASSIGNMENT:status\tASSIGNMENT:submitted\n"
    'Good soup\tpos\t"[""food""]"\t\t\thttps://x\ta1\tt1\tw9\tAPPROVED\t2026-03-02T10:01:00\n'
    "Cold room\tneg\t[]\tneg\t\thttps://x\ta1\tt2\tw9\tAPPROVED\t2026-03-02T10:01:00\n"
    "Cold room\tpos\t\tneg\t\thttps://x\ta2\tt2\tw8\tREJECTED\t2026-03-02T10:01:00\n"
    "Good soup\t\t\t\t\thttps://x\ta3\tt1\tw7\tSKIPPED\t\n"
)

# Rayyan

RAYYAN_LOG = (
    "article_id,user_id,user_email,key,value,created_at\n"
    "rayyan-101,7,anna@x.org,included,-1,2026-03-02 10:10:00\n"
    "rayyan-101,7,anna@x.org,included,1,2026-03-02 10:11:00\n"
    "rayyan-101,8,ben@x.org,included,-1,2026-03-02 11:00:00\n"
    "rayyan-101,8,ben@x.org,__EXR__wrong population,1,2026-03-02 11:00:05\n"
    "rayyan-101,8,ben@x.org,__EXR__wrong design,1,2026-03-02 11:00:06\n"
    "rayyan-101,8,ben@x.org,__EXR__wrong design,0,2026-03-02 11:00:07\n"
    "rayyan-102,8,ben@x.org,included,0,2026-03-02 11:01:00\n"
    "rayyan-102,8,ben@x.org,cohort,1,2026-03-02 11:01:00\n"
)
RAYYAN_ARTICLES = "key,title,year,abstract,notes\nrayyan-101,Soup,2020,On soup.,\nrayyan-102,Rooms,2021,,\n"
RAYYAN_NOTED = (
    "key,title,year,abstract,notes\n"
    'rayyan-101,Soup,2020,On soup.,"Own note | RAYYAN-INCLUSION: {""Anna""=>""Included"", ""Ben""=>""Excluded""} | '
    'RAYYAN-LABELS: a,b | RAYYAN-EXCLUSION-REASONS: wrong population | USER-NOTES: {""Ben""=>[""not soup""]}"\n'
)

# Qualtrics

QUALTRICS = (
    "StartDate,EndDate,Status,IPAddress,Progress,Duration (in seconds),Finished,RecordedDate,ResponseId,RecipientEmail,"
    "ExternalReference,LocationLatitude,UserLanguage,Q1,Q2_1,Q2_2,1_Q3,2_Q3,Q4,Q1_3_TEXT\n"
    "Start Date,End Date,Response Type,IP Address,Progress,Duration (in seconds),Finished,Recorded Date,Response ID,"
    'Recipient Email,External Data Reference,Location Latitude,User Language,"Tone of:\nGood soup",About - food,'
    "About - room,Clear?,Clear?,Which?,Other - Text\n"
    + ",".join(
        '"{""ImportId"":""' + own + '""}"'
        for own in re.findall(
            r"\w+",
            "startDate endDate status ipAddress progress duration finished recordedDate _recordId recipientEmail "
            "externalDataReference locationLatitude userLanguage QID1 QID2_1 QID2_2 1_QID3 2_QID3 QID4 QID1_3_TEXT",
        )
    )
    + "\n"
    "2026-03-02 09:00:00,2026-03-02 09:10:00,0,10.0.0.1,100,600,1,2026-03-02 09:10:01,R_1,anna@x.org,anna,52.1,EN,"
    '1,1,,2,1,"1,3",so so\n'
    "2026-03-02 09:00:00,2026-03-02 09:10:00,0,10.0.0.2,100,600,1,2026-03-02 09:10:01,R_2,ben@x.org,ben,52.2,EN,"
    "2,1,1,2,2,1,\n"
    "2026-03-02 09:00:00,2026-03-02 09:10:00,1,10.0.0.3,100,600,1,2026-03-02 09:10:01,R_3,,,52.3,EN,2,1,1,2,2,1,\n"
    "2026-03-02 09:00:00,2026-03-02 09:10:00,0,10.0.0.4,50,600,0,2026-03-02 09:10:01,R_4,,,52.4,EN,2,,,,,,\n"
)

# ODK and Kobo

ODK = (
    "SubmissionDate,meta-instanceID,item,page-tone,page-tone/pos,page-tone/food,who,where-Latitude,where-Longitude,KEY,"
    "SubmitterID,SubmitterName,AttachmentsPresent,AttachmentsExpected,Status,ReviewState,DeviceID,Edits,FormVersion\n"
    "2026-03-02T10:00:00.000Z,uuid:1,d1,pos food,1,1,anna,52.1,13.1,uuid:1,12,anna phone,0,0,,approved,dev1,0,1\n"
    "2026-03-02T10:00:00.000Z,uuid:2,d1,pos,1,0,ben,52.1,13.1,uuid:2,13,ben phone,0,0,,rejected,dev2,0,1\n"
    "2026-03-02T10:00:00.000Z,uuid:3,001,,0,0,ben,52.1,13.1,uuid:3,13,ben phone,0,0,,,dev2,0,1\n"
)
KOBO = (
    '"start";"end";"item";"page/tone";"comment";"where";"_where_latitude";"_where_longitude";"_id";"_uuid";'
    '"_submission_time";"_validation_status";"_notes";"_status";"_submitted_by";"__version__";"_tags";"_index"\n'
    '"2026-03-02T10:00:00.000+01:00";"2026-03-02T10:01:00.000+01:00";"d1";"pos food";"so so";"52.1 13.1 0 0";"52.1";'
    '"13.1";"1";"u1";"2026-03-02T09:01:02";"";"";"submitted_via_web";"anna";"v1";"";"1"\n'
    '"2026-03-02T10:00:00.000+01:00";"2026-03-02T10:01:00.000+01:00";"d1";"neg";"";"52.1 13.1 0 0";"52.1";"13.1";"2";'
    '"u2";"2026-03-02T09:01:02";"Not approved";"";"submitted_via_web";"ben";"v1";"";"2"\n'
)

# SuperAnnotate


def superannotate(name: str, email: str | None, tags: list[str], status: str = "Completed") -> str:
    entity = {
        "type": "entity",
        "start": 0,
        "end": 9,
        "className": "FOOD",
        "attributes": [],
        "creationType": "Manual",
    }
    return json.dumps(
        {
            "metadata": {
                "name": name,
                "status": status,
                "projectId": 1,
                "annotatorEmail": email,
                "lastAction": {"email": "kim", "timestamp": 1634899229953},
            },
            "instances": [{**entity, "createdBy": {"email": "ben", "role": "Annotator"}}],
            "tags": tags,
            "freeText": "",
        }
    )


# Scale


def scale(own: str, category: Any, status: str = "completed", **response: Any) -> dict[str, Any]:
    return {
        "task_id": own,
        "completed_at": "2026-03-02T10:00:00.000Z",
        "status": status,
        "type": "categorization",
        "params": {"attachment": "https://example.org/1.png", "metadata": {"item": f"d{own}"}},
        "response": {"category": category, **response},
    }


SUPERANNOTATE = {
    "a/d1.json": superannotate("d1", "anna", ["pos"]),
    "b/d1.json": superannotate("d1", None, ["pos", "warm"]),
    "a/d2.json": superannotate("d2", "anna", [], "InProgress"),
}
SCALE = [scale("1", ["pos"]), scale("2", ["neg"], annotations=[{}, {}]), scale("3", None, "pending")]

# (key of the format, files)
SAMPLES: list[tuple[str, list[InputFile]]] = [
    ("potato", files_of({"out/anna/user_state.json": POTATO_STATE})),
    ("potato", files_of({"a.csv": POTATO_TABLE})),
    (
        "potato",
        files_of({"a.tsv": POTATO_TABLE.splitlines()[0].replace(",", "\t") + "\n001\tben\ttrue\t\t\t\t\n"}),
    ),
    ("potato", files_of({"a.jsonl": POTATO_LINES})),
    ("inception", files_of({"diagnosis.csv": DIAGNOSIS})),
    ("inception", files_of({"a.csv": ANNOTATIONS_SPANS})),
    ("inception", files_of({"a.csv": ANNOTATIONS})),
    ("inception", files_of({"a.json": ANNOTATIONS_JSON})),
    ("inception", files_of({"d1.tsv": TSV3})),
    ("inception", files_of({"d1/anna.json": cas_json("pos")})),
    ("inception", inception_project()),
    ("brat", files_of(BRAT)),
    ("refi_qda", files_of(REFI_QDA)),
    ("cvat", files_of({"annotations.xml": CVAT})),
    ("mturk", files_of({"Batch_1_batch_results.csv": MTURK})),
    ("toloka", files_of({"assignments.tsv": TOLOKA})),
    ("rayyan", files_of({"articles.csv": RAYYAN_ARTICLES, "customizations_log.csv": RAYYAN_LOG})),
    ("rayyan", files_of({"articles.csv": RAYYAN_NOTED})),
    ("qualtrics", files_of({"survey.csv": QUALTRICS})),
    ("qualtrics", files_of({"survey.tsv": QUALTRICS.replace(",", "\t").encode("utf-16")})),
    ("odk", files_of({"form.csv": ODK})),
    ("odk", files_of({"form.csv": KOBO})),
    ("superannotate", files_of(SUPERANNOTATE)),
    ("scale", files_of({"tasks.json": json.dumps(SCALE)})),
    ("scale", files_of({"tasks.jsonl": "\n".join(map(json.dumps, SCALE))})),
    ("scale", files_of({"task.json": json.dumps(SCALE[0], indent=2)})),
]
