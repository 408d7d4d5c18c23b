"""What a job is: values and rules, with no I/O and no clock."""
