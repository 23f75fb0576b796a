"""Names of shapes that modules pass on without looking into them."""

from typing import Any

# A JSON object.
Json = dict[str, Any]
