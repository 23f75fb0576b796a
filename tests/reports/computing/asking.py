"""The statistics of a report, as it stores them and where the API gives them."""

from tests.finished import finished_report


def stored(project, lead, **options):
    return finished_report(project, lead, **options).questions.get()


def api_address(project, report, tail: str) -> str:
    return f"/api/v1/projects/{project.slug}/reports/{report.pk}/questions/answer/{tail}"
