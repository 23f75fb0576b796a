"""Names that are given to something cannot change the direction of the text around them."""

import pytest
from django import forms
from rest_framework.exceptions import ValidationError

from core.web.form_fields import NameField
from core.web.strict import StrictLineField, StrictNameField

TURNED = [f"a{chr(code)}b" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))]


@pytest.mark.parametrize("name", TURNED)
def test_a_new_name_that_turns_text_is_refused(name):
    with pytest.raises(forms.ValidationError) as refused:
        NameField().clean(name)
    assert refused.value.code == "direction"
    with pytest.raises(ValidationError) as answered:
        StrictNameField().run_validation(name)
    assert answered.value.get_codes() == ["direction"]


def test_a_stored_name_can_still_be_referred_to():
    assert StrictLineField().run_validation(TURNED[0]) == TURNED[0]


@pytest.mark.parametrize("name", ["Zoë", "שלום", "a\u200db", "مشروع"])
def test_names_in_any_script_are_taken(name):
    assert NameField().clean(name) == name
    assert StrictNameField().run_validation(name) == name
