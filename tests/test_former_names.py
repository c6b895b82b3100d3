"""Public names that have changed: the former one still gives the same thing, and says the new one."""

import pytest

from dpbandits import games, proofs

FORMER = [
    (games, "LonelyAttack", "SinglePullAttack"),
    (games, "lonely_attack", "single_pull_attack"),
    (proofs, "climb", "judge_by_methods"),
]


@pytest.mark.parametrize(("module", "former", "name"), FORMER, ids=[former for _, former, _ in FORMER])
def test_a_former_name_gives_the_same_and_says_the_new_one(module, former, name):
    with pytest.warns(DeprecationWarning, match=f"{former} is deprecated; use {name}"):
        assert getattr(module, former) is getattr(module, name)


@pytest.mark.parametrize("module", [games, proofs])
def test_an_unknown_name_is_an_error(module):
    with pytest.raises(AttributeError, match="has no attribute 'unknown'"):
        module.unknown  # noqa: B018
