"""`python -m duetime`."""

from duetime.cli.main import main

main()
