"""A project taken out of one server and into another."""

from io import BytesIO

from raters.archive.project_export import project_file
from raters.archive.project_import import import_project
from tests import cast, live


def taken(project):
    return b"".join(project_file(project))


def there(empty_server, content):
    """Import into the empty server, and what it exports then."""
    with live.use_database(empty_server):
        lead = cast.person("boss", unique=True)
        project = import_project(BytesIO(content), lead=lead)
        return taken(project)
