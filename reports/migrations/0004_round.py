"""A batch is called a round: in the scope of a report, in its frozen codebook, and in the sides of a comparison.

Figures that wait for a worker are computed on demand; their table keeps its name.
"""

import django.db.models.deletion
from django.db import migrations, models

ROUNDS = """
UPDATE reports_report SET
    scope = scope - 'batches' || jsonb_build_object('rounds', scope->'batches')
WHERE scope ? 'batches';
UPDATE reports_report SET
    codebook = codebook - 'batches' || jsonb_build_object('rounds', codebook->'batches')
WHERE codebook ? 'batches';
UPDATE reports_laterfigures SET asked = asked || jsonb_build_object(
    'first', regexp_replace(asked->>'first', '^batch:', 'round:'),
    'second', regexp_replace(asked->>'second', '^batch:', 'round:'))
WHERE asked->>'first' LIKE 'batch:%' OR asked->>'second' LIKE 'batch:%';
"""


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0003_result_schema"),
    ]

    operations = [
        migrations.AlterField("labelblock", "batches", models.BinaryField(db_column="batches")),
        migrations.RenameField("labelblock", "batches", "rounds"),
        migrations.AlterField(
            "laterfigures",
            "what",
            models.CharField(
                choices=[
                    ("two", "A comparison of two reports"),
                    ("time", "Agreement over time"),
                    ("sides", "A comparison"),
                ],
                max_length=8,
            ),
        ),
        migrations.AlterModelTable("laterfigures", "reports_laterfigures"),
        migrations.RenameModel("LaterFigures", "OnDemandFigures"),
        migrations.AlterField(
            "ondemandfigures",
            "agreement",
            models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="on_demand_figures",
                to="reports.questionagreement",
            ),
        ),
        migrations.RunSQL(ROUNDS, migrations.RunSQL.noop),
    ]
