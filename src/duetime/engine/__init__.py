"""The life of a job, one stage a file: submit, due, pick, launch, settle, rescue; and around it control, insight."""
