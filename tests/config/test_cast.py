def test_the_cast_has_one_role_each(project, lead, adjudicator, auditor, rita, stranger):
    roles = dict(project.memberships.values_list("user__username", "role"))

    assert roles == {"lena": "lead", "ada": "adjudicator", "otto": "auditor", "rita": "rater"}
    assert not stranger.memberships.exists()
