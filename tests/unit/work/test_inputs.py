"""Results of earlier steps, as a function of a worker sees them."""

from __future__ import annotations

import msgspec

from duetime.work import Context
from duetime.work.protocol.wire import TakenRun


def test_a_function_sees_the_results_of_the_steps_before_it() -> None:
    sent = b'{"run":"r","job":1,"queue":"q","task":"t","attempt":1,"inputs":{"a":{"n":1},"b":null,"@go":[2]}}'
    context = Context(msgspec.json.decode(sent, type=TakenRun))
    assert context.inputs == {"a": {"n": 1}, "b": None, "@go": [2]}
    assert Context.for_test(inputs={"a": 7}).inputs == {"a": 7}
    assert Context.for_test().inputs == {}
