"""Celery with workers that run tasks in their main process; otherwise as with its own processes."""

import os
import runpy

if __name__ == "__main__":
    os.environ["BENCH_POOL"] = "solo"
    here = os.path.dirname(os.path.abspath(__file__))
    runpy.run_path(os.path.join(here, "celery_driver.py"), run_name="__main__")
