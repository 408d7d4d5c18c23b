"""The life of a job, a stage per folder: intake, due, launching, settling; beside it lanes, recurring, asking, node."""
