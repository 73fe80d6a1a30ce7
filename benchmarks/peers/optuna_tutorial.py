"""The two programs of Optuna Dashboard's preferential tutorial: `generate` proposes colours and draws them, `serve` shows them."""

import struct
import sys
import time
import zlib
from pathlib import Path

from optuna.artifacts import FileSystemArtifactStore, upload_artifact
from optuna_dashboard import register_preference_feedback_component
from optuna_dashboard._app import create_app
from optuna_dashboard.preferential import create_study
from optuna_dashboard.preferential.samplers.gp import PreferentialGPSampler

STORAGE = "sqlite:///example.db"
ARTEFACTS = Path("artifact")
SIDE = 128
ALIVE = 4
"""Pictures shown at once, as in the tutorial."""


def png(colour: list[int]) -> bytes:
    """A picture of one colour."""
    rows = (b"\0" + bytes(colour) * SIDE) * SIDE
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    packed = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def generate() -> None:
    """Propose whenever there is room for another picture."""
    ARTEFACTS.mkdir(exist_ok=True)
    store = FileSystemArtifactStore(base_path=ARTEFACTS)
    sampler = PreferentialGPSampler()
    study = create_study(n_generate=ALIVE, study_name="tutorial", storage=STORAGE, sampler=sampler, load_if_exists=True)
    register_preference_feedback_component(study, "artifact", "rgb_image")
    print("generating", flush=True)
    while True:
        if not study.should_generate():
            time.sleep(0.1)
            continue
        trial = study.ask()
        file = Path(f"{trial.number}.png")
        file.write_bytes(png([trial.suggest_int(name, 0, 255) for name in "rgb"]))
        artefact = upload_artifact(study_or_trial=trial, file_path=str(file), artifact_store=store)
        trial.set_user_attr("rgb_image", artefact)


def serve() -> None:
    """The dashboard, on any port that is free."""
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

    from optuna.storages import RDBStorage

    class Quiet(WSGIRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    app = create_app(RDBStorage(STORAGE), FileSystemArtifactStore(base_path=ARTEFACTS))
    made = make_server("127.0.0.1", 0, app, WSGIServer, Quiet)
    print(f"http://127.0.0.1:{made.server_port}", flush=True)
    made.serve_forever()


if __name__ == "__main__":
    {"generate": generate, "serve": serve}[sys.argv[1]]()
