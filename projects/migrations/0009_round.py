"""A batch is called a round. The table and the columns that refer to it keep their names: nothing stored is touched."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("projects", "0008_guard_item_versions"),
        # Its tables are made with a reference to the former name.
        ("raters", "0005_project_uploads"),
    ]

    operations = [
        migrations.AlterModelTable(name="batch", table="projects_batch"),
        migrations.RenameModel(old_name="Batch", new_name="Round"),
        migrations.AlterModelOptions(name="round", options={"ordering": ["position", "id"]}),
        migrations.AlterField(
            model_name="round",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="rounds", to="projects.project"
            ),
        ),
    ]
