"""Export of labels, final labels, and items in other programs' formats, streamed from one database snapshot.

scope: what is exported. source: reads it. contents: counts it, to tell what a format leaves out. targets: lists the
formats, each of which has its own module.
"""
