"""Functions as jobs, in one process: a server, a worker, a schedule and a result. Nothing has to be started first:

`.venv/bin/python examples/functions.py`
"""

from __future__ import annotations

import tempfile

import duetime
from duetime.work import Context, Duetime, Retry

app = Duetime(name="example")


@app.task(attempts=3)
async def greet(ctx: Context, name: str) -> str:
    """Fails once, and is called again."""
    if ctx.attempt == 1:
        raise Retry("200ms")
    return f"hello {name}, at attempt {ctx.attempt}"


@app.schedule(every="1s")
@app.task
def tick(ctx: Context) -> None:
    """Is called every second."""
    print(f"tick for {ctx.nominal_at}", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="duetime-") as data, duetime.embed(app, data=data):
        print(greet.options(delay="1s").enqueue_sync("world").result_sync("30s"), flush=True)
