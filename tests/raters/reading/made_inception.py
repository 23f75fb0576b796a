"""Files as INCEpTION writes them, made up by us."""

import json
from collections.abc import Sequence
from typing import Any

from raters.reading.records import (
    InputFile,
)
from tests.raters.reading.read import files_of, zipped

DIAGNOSIS = (
    "Type,Collection,Document,Layer,Feature,Position,Flags,anna,ben,CURATION_USER,INITIAL_CAS\n"
    'SpanPosition,demo,d1.txt,webanno.custom.Tone,value,0-9 [Good soup],"DIFFERENCE, USED",pos,neg,pos,\n'
    "SpanPosition,demo,d1.txt,webanno.custom.Tone,value,11-20 [Cold],DIFFERENCE,neg,<no annotation>,neg,\n"
    'DocumentPosition,demo,d2.txt,webanno.custom.Doc,value,Document,"COMPLETE, USED",pos,<no label>,neg,pos\n'
    "DocumentPosition,demo,d3.txt,webanno.custom.Doc,value,Document,USED,neg,<no annotation>,neg,neg\n"
)
ANNOTATIONS_SPANS = (
    "doc,user,begin,end,text,label\nd1.txt,anna,0,9,Good soup,pos\nd1.txt,ben,0,9,Good soup,neg\n"
)
ANNOTATIONS = "doc,user,label\nd1.txt,anna,pos\nd1.txt,ben,neg\nd2.txt,anna,pos\n"
ANNOTATIONS_JSON = (
    '[{"doc":"d1.txt","user":"anna","label":"pos"},{"doc":"d1.txt","user":"ben","label":"neg"}]'
)
TSV3 = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=webanno.custom.Tone|value\n#T_RL=webanno.custom.Of|kind|BT_webanno.custom.Tone\n"
    "\n\n#Text=Good soup 😊 .\n1-1\t0-4\tGood\tpos[1]|warm[2]\t_\t_\t\n1-2\t5-9\tsoup\tpos[1]|warm[2]\tof\t1-1[0_1]\t\n"
    "1-3\t10-12\t😊\t*\t_\t_\t\n1-4\t13-14\t.\t_\t_\t_\t\n"
)


def cas_json(value: str | None, *, several: list[str] | None = None) -> str:
    structures: list[dict[str, Any]] = [
        {
            "%ID": 1,
            "%TYPE": "uima.cas.Sofa",
            "sofaNum": 1,
            "sofaID": "_InitialView",
            "mimeType": "text",
            "sofaString": "Good soup",
        },
        {"%ID": 2, "%TYPE": "webanno.custom.Tone", "@sofa": 1, "begin": 0, "end": 9, "value": "pos"},
        {
            "%ID": 4,
            "%TYPE": "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token",
            "begin": 0,
            "end": 4,
        },
    ]
    if value is not None:
        structures.append({"%ID": 3, "%TYPE": "webanno.custom.Doc", "@sofa": 1, "value": value, "@topics": 9})
        structures.append({"%ID": 9, "%TYPE": "uima.cas.StringArray", "%ELEMENTS": several or []})
    return json.dumps(
        {
            "%TYPES": {
                "webanno.custom.Doc": {
                    "%NAME": "webanno.custom.Doc",
                    "%SUPER_TYPE": "uima.cas.AnnotationBase",
                    "value": {"%NAME": "value", "%RANGE": "uima.cas.String"},
                    "topics": {"%NAME": "topics", "%RANGE": "uima.cas.StringArray"},
                }
            },
            "%FEATURE_STRUCTURES": structures,
            "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 3]}},
        }
    )


TYPE_SYSTEM = """<?xml version="1.0" encoding="UTF-8"?>
<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier">
  <types>
    <typeDescription>
      <name>webanno.custom.Doc</name><description/><supertypeName>uima.cas.AnnotationBase</supertypeName>
      <features>
        <featureDescription><name>value</name><description/><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
        <featureDescription><name>topics</name><rangeTypeName>uima.cas.StringArray</rangeTypeName></featureDescription>
      </features>
    </typeDescription>
    <typeDescription>
      <name>webanno.custom.Tone</name><description/><supertypeName>uima.tcas.Annotation</supertypeName>
      <features>
        <featureDescription><name>value</name><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
      </features>
    </typeDescription>
  </types>
</typeSystemDescription>
"""


def cas_xmi(value: str | None, *, several: Sequence[str] = (), referred: bool = False) -> str:
    """The same document as `cas_json`, as UIMA writes it in XMI; referred: the array of topics stands by itself."""
    said = f' value="{value}"' if value else ""
    topics, array = "", ""
    if referred:
        said += ' topics="40"'
        elements = "".join(f"<elements>{each}</elements>" for each in several)
        array = f'<cas:StringArray xmi:id="40">{elements}</cas:StringArray>'
    else:
        topics = "".join(f"<topics>{each}</topics>" for each in several)
    document = f'<custom:Doc xmi:id="31" sofa="12"{said}>{topics}</custom:Doc>' if value or several else ""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:tcas="http:///uima/tcas.ecore"
    xmlns:custom="http:///webanno/custom.ecore" xmlns:dep="http:///de/tudarmstadt/dependency.ecore"
    xmlns:meta="http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore" xmi:version="2.0">
  <cas:NULL xmi:id="0"/>
  <meta:DocumentMetaData xmi:id="1" sofa="12" begin="0" end="9" documentTitle="d1.txt" isLastSegment="false"/>
  <tcas:DocumentAnnotation xmi:id="2" sofa="12" begin="0" end="9" language="x-unspecified"/>
  <custom:Tone xmi:id="30" sofa="12" begin="0" end="9" value="pos"/>
  {document}
  <dep:Dependency xmi:id="32" sofa="12" begin="0" end="4" Governor="30" Dependent="30"/>
  {array}
  <cas:Sofa xmi:id="12" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Good soup"/>
  <cas:View sofa="12" members="1 2 30 31 32"/>
</xmi:XMI>
"""


def inception_project() -> list[InputFile]:
    states = [
        ("anna", "FINISHED", "hard one"),
        ("ben", "INPROGRESS", ""),
        ("eve", "IGNORE", ""),
        ("kim", "NEW", ""),
    ]
    listed = [{"name": "d1.txt", "user": u, "state": s, "annotatorComment": c} for u, s, c in states]
    listed.append({"name": "d2.txt", "user": "anna", "state": "FINISHED", "annotatorComment": None})
    listed.append({"name": "d2.txt", "user": "kim", "state": "FINISHED", "annotatorComment": "late"})
    return files_of(
        {
            "exportedproject123.json": json.dumps(
                {"name": "demo", "source_documents": [], "annotation_documents": listed}
            ),
            "source/d1.txt": "Good soup",
            "annotation/d1.txt/anna.zip": zipped({"anna.json": cas_json("pos", several=["a", "b"])}),
            "annotation/d1.txt/ben.json": cas_json("neg", several=["a"]),
            "annotation/d1.txt/eve.json": cas_json("neg"),
            "annotation/d1.txt/kim.json": cas_json("neg"),
            "annotation/d1.txt/INITIAL_CAS.json": cas_json("neg"),
            "annotation/d2.txt/anna.json": cas_json(None),
            "annotation/d2.txt/kim.zip": zipped({"kim.xmi": cas_xmi("neg"), "TypeSystem.xml": TYPE_SYSTEM}),
            "annotation/d2.txt/eve.tsv": TSV3,
            "annotation_ser/d1.txt/anna.ser": b"\xac\xed\x00\x05",
            "curation/d1.txt/CURATION_USER.json": cas_json("pos"),
            "log/project.log": "x",
        }
    )
