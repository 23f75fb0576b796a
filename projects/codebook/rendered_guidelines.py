"""Guidelines for display: Markdown with images from the project's media files."""

from django.utils.safestring import SafeString

from core.web.markdown import image_names, rendered_with_images
from projects.media.names import address_of, name_in
from projects.models import GuidelinesVersion, MediaFile, Project


def rendered_guidelines(project: Project, text: str | None = None) -> SafeString:
    """Render the guidelines. text: instead of the current text."""
    text = project.guidelines if text is None else text
    names = {name: name_in(name) for name in image_names(text)}
    return rendered_with_images(text, _addresses(project, names) if names else {})


def _addresses(project: Project, names: dict[str, str]) -> dict[str, str]:
    files = MediaFile.objects.filter(project=project, name__in=names.values(), type__startswith="image/")
    found = {media.name: address_of(media) for media in files.select_related("project")}
    return {written: found[name] for written, name in names.items() if name in found}


def images_in(text: str) -> set[str]:
    """Return the names of the media files that guidelines show."""
    return {name_in(name) for name in image_names(text)}


def is_in_guidelines(media: MediaFile) -> bool:
    """Return whether any version of the guidelines, which all members can read, shows the file."""
    if not media.type.startswith("image/"):
        return False
    # Few versions have images, and fewer have this one.
    texts = GuidelinesVersion.objects.filter(project=media.project_id, text__contains="![")
    return any(
        media.name in images_in(text) for text in texts.order_by().values_list("text", flat=True).iterator()
    )
