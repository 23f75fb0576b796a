"""Labels, final labels and items in the formats of other programs, streamed from one snapshot of the database.

scope: what is exported. source: it is read. contents: it is counted, to say what a format leaves out. targets: a module
for each format.
"""
