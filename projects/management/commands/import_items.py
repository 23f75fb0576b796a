"""Import items, with their content, from the command line."""

from projects.imports.import_commands import ImportCommand
from projects.items.imports import ItemFile
from projects.items.item_columns import ItemOptions


class Command(ImportCommand):
    help = 'Import items from a file with an "item" column and a column for each content field.'
    what = "items"
    open = ItemFile
    options = ItemOptions

    def report_details(self, file: ItemFile) -> None:
        missing = file.missing()
        if missing.n:
            files = "file" if missing.n == 1 else "files"
            self.stderr.write(
                f"{missing.n:,} media {files} used by these items not found: {', '.join(missing.names)}"
            )
