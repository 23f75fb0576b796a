"""A client for the Interrater API: labels in, agreement out."""

from interrater_client.api import APIError
from interrater_client.client import Interrater
from interrater_client.projects import Import, Labels, Matrix, Project, Report, RunFailed

__all__ = ["APIError", "Import", "Interrater", "Labels", "Matrix", "Project", "Report", "RunFailed"]
