"""A web app of your own in which drills are started and looked at, all within one budget:

pip install fastapi uvicorn
uvicorn --app-dir examples fastapi_app:app
curl -X POST "localhost:8000/drills?domain=Noble+gases&model=sim:student"
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException

import fathom

RUNS = Path(os.environ.get("FATHOM_RUNS", "runs"))
MODELS = ("sim:student", "sim:expert")
open_session: fathom.Session
started: set[asyncio.Task[Any]] = set()


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """One session as long as the app lives."""
    global open_session
    async with fathom.session(os.environ, max_calls=3000, runs=RUNS) as open_session:
        yield
        await asyncio.gather(*started)


app = FastAPI(lifespan=lifespan)


@app.post("/drills", status_code=202)
async def start(domain: str, model: str, probes: int = 10, depth: int = 3) -> dict[str, str]:
    """Start a drill."""
    if model not in MODELS:
        raise HTTPException(
            422, f"There is no model {model}: choose one of {', '.join(MODELS)}."
        )
    try:
        drill = fathom.spec(
            domain, target=model, evaluator="sim:evaluator", n=probes, max_depth=depth
        )
        launch = await open_session.launch(drill)
    except fathom.UsageError as error:
        raise HTTPException(422, str(error)) from None
    task = asyncio.ensure_future(launch.run())
    started.add(task)
    task.add_done_callback(started.discard)
    return {"launch": launch.id}


@app.get("/drills")
async def drills() -> list[dict[str, Any]]:
    """How all of them stand."""
    found = [run.entry for run in fathom.runs(RUNS)]
    return [
        {
            "id": each.id,
            "model": each.target,
            "status": each.status,
            "evd": each.main and each.main.value,
        }
        for each in found
    ]
