"""Draws Vega-Lite specifications as SVG: the library runs in a JavaScript engine in this process, without a browser.

Specifications are those of Vega-Lite (https://vega.github.io/vega-lite/docs/), with inline data.
"""

import json
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Lock

from cachetools import LRUCache, cached
from py_mini_racer import JSEvalException, JSOOMException, JSPromise, JSPromiseError, MiniRacer

from reports.drawing.specification import Part

SECONDS = 10.0
# For waiting and drawing together, so that no page is blocked by the pictures of others.
WAIT = 15.0
BYTES = 256 << 20
# Reports never change, and neither do their pictures: the most recently requested are cached, up to this many
# characters.
CACHE_BYTES = 24 << 20
HERE = Path(__file__).parent
# The interpreter is published as a module, but the engine does not support modules.
AS_SCRIPT = (
    ("import { ascending, isString, DisallowedObjectProperties } from 'vega-util';",
     "const { ascending, isString, DisallowedObjectProperties } = vega;"),
    ("export { expression as expressionInterpreter };", "globalThis.expressionInterpreter = expression;"),
)  # fmt: skip


class DrawingFailed(Exception):
    """The picture took too much time or memory, or its specification is invalid."""


def svg_of(specification: Part) -> str:
    """Return the drawing of a specification. Raises DrawingFailed."""
    return _svg_of(json.dumps(specification, allow_nan=False, separators=(",", ":")))


def start() -> None:
    """Start the engine, so that the first picture does not wait for it. Raises DrawingFailed."""
    svg_of({"data": {"values": [{}]}, "mark": "point", "encoding": {}})


kept: LRUCache[bytes, str] = LRUCache(maxsize=CACHE_BYTES, getsizeof=len)


@cached(kept, key=lambda specification: sha256(specification.encode()).digest(), lock=Lock())
def _svg_of(specification: str) -> str:
    return _drawer.drawn(specification)


class _Drawer:
    """The engine with the library in a thread of its own, created with the first picture, after any fork."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="drawing")
        self._engine: MiniRacer | None = None

    def drawn(self, specification: str) -> str:
        drawing = self._thread.submit(self._draw, specification)
        try:
            return drawing.result(timeout=WAIT)
        except TimeoutError as error:
            drawing.cancel()
            raise DrawingFailed("Too many figures are being drawn. Try again later.") from error

    def _draw(self, specification: str) -> str:
        engine = self._engine = self._engine or _new_engine()
        try:
            promise = engine.eval(f"draw({json.dumps(specification)})", timeout_sec=SECONDS, max_memory=BYTES)
            return str(promise.get(timeout=SECONDS)) if isinstance(promise, JSPromise) else ""
        except (JSEvalException, JSPromiseError, TimeoutError) as error:
            # An engine that ran out of memory cannot draw again; the next picture gets a new one.
            if isinstance(error, JSOOMException):
                self._engine = None
            raise DrawingFailed(str(error).splitlines()[0][:300]) from error


def _new_engine() -> MiniRacer:
    engine = MiniRacer()
    for name in ("missing.js", "vendor/vega.min.js", "vendor/vega-lite.min.js"):
        engine.eval((HERE / name).read_text())
    engine.eval(_as_script((HERE / "vendor/vega-interpreter.js").read_text()))
    engine.eval((HERE / "draw.js").read_text())
    return engine


def _as_script(module: str) -> str:
    for written, wanted in AS_SCRIPT:
        if written not in module:
            raise RuntimeError("Vega's interpreter is another version than the one that this is written for.")
        module = module.replace(written, wanted)
    return f"(() => {{{module}\n}})();"


_drawer = _Drawer()
