"""Guidelines as pages show them: Markdown, with images that the project has among its media files."""

from django.utils.safestring import SafeString

from core.web.markdown import image_names, rendered_with_images
from projects.media.names import address_of, name_in
from projects.models import GuidelinesVersion, MediaFile, Project


def guidelines_shown(project: Project, text: str | None = None) -> SafeString:
    """text: another than that which holds."""
    text = project.guidelines if text is None else text
    names = {name: name_in(name) for name in image_names(text)}
    return rendered_with_images(text, _addresses(project, names) if names else {})


def _addresses(project: Project, names: dict[str, str]) -> dict[str, str]:
    files = MediaFile.objects.filter(project=project, name__in=names.values(), type__startswith="image/")
    found = {media.name: address_of(media) for media in files.select_related("project")}
    return {said: found[name] for said, name in names.items() if name in found}


def is_in_guidelines(media: MediaFile) -> bool:
    """Whether a version of the guidelines, which every member can read, shows the file."""
    if not media.type.startswith("image/"):
        return False
    # Few versions have images at all, and fewer this one.
    texts = GuidelinesVersion.objects.filter(project=media.project_id, text__contains="![")
    return any(
        media.name in {name_in(name) for name in image_names(text)}
        for text in texts.order_by().values_list("text", flat=True).iterator()
    )
