"""Questions have a primary coefficient, weights and a criterion; projects leave the coefficient to the question."""

from django.db import migrations, models

COEFFICIENTS = [
    ("krippendorff_alpha", "Krippendorff’s alpha"),
    ("fleiss_kappa", "Fleiss’ kappa"),
    ("cohen_kappa", "Cohen’s kappa (two raters)"),
    ("conger_kappa", "Conger’s kappa"),
    ("light_kappa", "Light’s kappa (mean pairwise Cohen’s kappa)"),
    ("gwet_ac1", "Gwet’s AC1 (AC2 with weights)"),
    ("brennan_prediger", "Brennan–Prediger"),
    ("percent_agreement", "Percent agreement"),
    ("krippendorff_alpha_jaccard", "Krippendorff’s alpha with the Jaccard distance"),
    ("icc_a_1", "ICC(A,1): absolute agreement"),
    ("icc_c_1", "ICC(C,1): consistency"),
    ("icc_1_1", "ICC(1,1): raters who differ from item to item"),
    ("kendall_w", "Kendall’s W"),
]
WEIGHTS = [
    ("unweighted", "Unweighted"),
    ("linear", "Linear weights"),
    ("quadratic", "Quadratic weights"),
    ("ordinal", "Ordinal weights"),
    ("radical", "Radical weights"),
    ("ratio", "Ratio weights"),
    ("circular", "Circular weights"),
    ("bipolar", "Bipolar weights"),
]
OF_PROJECTS = [
    ("fitting", "Chosen for each question from its scale and raters"),
    ("fleiss_kappa", "Fleiss’ kappa"),
    ("krippendorff_alpha", "Krippendorff’s alpha"),
    ("gwet_ac1", "Gwet’s AC1 (AC2 with weights)"),
    ("conger_kappa", "Conger’s kappa"),
    ("light_kappa", "Light’s kappa (mean pairwise Cohen’s kappa)"),
    ("brennan_prediger", "Brennan–Prediger"),
    ("percent_agreement", "Percent agreement"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0018_former_questions"),
    ]

    operations = [
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AddField(
            model_name="question",
            name="coefficient",
            field=models.CharField(
                blank=True, choices=COEFFICIENTS, db_default="", default="", max_length=30
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="weights",
            field=models.CharField(blank=True, choices=WEIGHTS, db_default="", default="", max_length=20),
        ),
        migrations.AddField(
            model_name="question",
            name="criterion",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.CheckConstraint(
                condition=models.Q(criterion__isnull=True) | models.Q(criterion__range=(-1.0, 1.0)),
                name="question_criterion_is_bounded",
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="coefficient",
            field=models.CharField(choices=OF_PROJECTS, default="fitting", max_length=30),
        ),
        # What every project had by default was no choice, unless somebody went back to it.
        migrations.RunSQL(
            """
            UPDATE projects_project p SET coefficient = 'fitting' WHERE coefficient = 'fleiss_kappa' AND NOT EXISTS (
                SELECT FROM projects_event e WHERE e.project_id = p.id AND e.kind = 'project_changed'
                    AND e.detail #> '{changed,coefficient}' IS NOT NULL
            )
            """,
            "UPDATE projects_project SET coefficient = 'fleiss_kappa' WHERE coefficient = 'fitting'",
        ),
    ]
