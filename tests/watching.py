"""What a browser complains of while a test drives it."""

from playwright.sync_api import Page


def watch(page: Page) -> list[str]:
    """A list that fills with errors of scripts, refused content and failed answers."""
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(f"script: {error}"))
    page.on(
        "console",
        lambda message: (
            faults.append(f"console: {message.text}")
            if message.type == "error" and "the server responded with a status of 4" not in message.text
            else None
        ),
    )
    page.on(
        "response",
        lambda response: (
            faults.append(f"{response.status} {response.url}") if response.status >= 500 else None
        ),
    )
    return faults
