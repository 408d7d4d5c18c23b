"""For the tests of programs that use Duetime: a real server with a clock that the test advances."""
