"""Former contents of items are history too: added to, and never changed."""

from django.db import migrations

GUARD = """
CREATE TRIGGER guard_rows BEFORE UPDATE OR DELETE ON projects_itemversion
    FOR EACH ROW EXECUTE FUNCTION refuse_rewriting();
CREATE TRIGGER guard_table BEFORE TRUNCATE ON projects_itemversion
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rewriting();
"""


class Migration(migrations.Migration):
    dependencies = [("projects", "0007_event_kinds"), ("raters", "0003_history_chain")]

    operations = [migrations.RunSQL(GUARD)]
