"""The checks and scopes whose absence the matrix of access does not notice: why that does no harm, or what does."""

# Scopes without which nobody sees or changes more, or which tests elsewhere ask about: each with the reason.
NO_MATTER: dict[str, str] = {
    "projects/api/views.py _serialized_for: without project in "
    "Membership.objects.filter(user=user.pk, project=project)": ("the role is then looked up by the project"),
    **dict.fromkeys(
        [
            *(
                f"raters/access.py also_rates: without {name} in "
                "Rater.objects.filter(project=project, user=user.pk)"
                for name in ("project", "user")
            ),
            "reports/label_access.py _note: without project__slug in "
            "Rater.objects.filter(user=request.user.pk, project__slug=slug)",
        ],
        "it says whether a look is logged, which test_label_access.py asks",
    ),
    "reports/label_access.py _note: without user in Rater.objects.filter(user=request.user.pk, project__slug=slug)": (
        "whether the user rates there is asked again before a look is logged"
    ),
    **dict.fromkeys(
        [
            f"raters/linking/actions.py _refuse_unlinkable: without {name} in "
            "Membership.objects.filter(project=rater.project, user=user)"
            for name in ("project", "user")
        ],
        "page and API find members alone; tests/raters/test_linking.py asks",
    ),
    **dict.fromkeys(
        [
            *(
                f"raters/rounds/revealed.py _names: without {name} in "
                "Label.objects.filter(round=round_, rater=OuterRef('pk'))"
                for name in ("round", "rater")
            ),
            *(
                f"raters/rounds/revealed.py revealed_items: without {name} in "
                "Assignment.objects.filter(rater=revealed.rater, item__in=ids, round=revealed.round)"
                for name in ("rater", "round")
            ),
        ],
        "letters and ids differ, which cases are compared without; tests/raters/rounds/test_revealed_pages.py asks",
    ),
    "reports/pages/listed_items.py _rows_of_rater: without rater in Assignment.objects.filter("
    "rater=access.rater.id, item__in=ids, pass_number=1)": (
        "ids differ, which cases are compared without; tests/reports/pages/test_own_page.py asks"
    ),
    "reports/results/compared_reports.py changed_items: without rounds_to_be_blind_in(user, project)": (
        "reports of items that are hidden are refused before; tests/faults/test_blind_members.py asks"
    ),
    **dict.fromkeys(
        [
            f"reports/{view}: {who} in project_to({user}, slug, Permission.SEE_LABELS)"
            for view, user in {
                "pages/question_pages.py confidence": "request.user",
                "api/confidence_views.py ConfidenceDetail.get": "request.user",
            }.items()
            for who in ("anybody", "any member")
        ],
        "labels of this world have no confidence; tests/reports/pages/test_confidence_access.py asks",
    ),
    "reports/pages/audits/result_pages.py audit_review: always Permission.ADJUDICATE in "
    "permissions_in(request.user, project)": (
        "other requests make the item of the audit wait; tests/reports/audits/test_audit_pages.py asks"
    ),
    "reports/access.py rater_access: anybody in project_to(user, slug, Permission.SEE_PROJECT)": (
        "who has no right at all there is refused as one to whom the page is not shown"
    ),
    "reports/access.py rater_access: without rounds_to_be_blind_in(user, project)": (
        "labels are read by another connection, which sees no case; tests/reports/pages/test_rater.py asks"
    ),
    "reports/access.py _may_see_own: without project in "
    "Rater.objects.filter(project=project, pk=rater, user=user.pk)": (
        "a report names raters of its own project alone"
    ),
    **dict.fromkeys(
        [
            f"raters/rounds/plan_storage.py _share_again: without {name} in "
            "Assignment.objects.filter(round=round_, rater=rater)"
            for name in ("round", "rater")
        ],
        "it says behind which place a queue goes on; no row is read or changed by it",
    ),
    "raters/progress/progress_lists.py _assignments: without rater in assignments.filter(rater=None)": (
        "it tells places that nobody has taken from others, to one who sees both"
    ),
    "reports/pages/project_pages.py project: always Permission.LABEL in permissions": (
        "it leads to rounds in which one has labeled, whose pages ask for the right themselves"
    ),
    **dict.fromkeys(
        [
            "raters/rounds/pages.py round_reassign: without who_may_label(project)",
            "raters/rounds/pages.py _initial_values: without who_may_label(project)",
        ],
        "narrowed to who has places in a round; the field offers members alone",
    ),
    "raters/imports/pages.py _upload: without refuse_while_labeling(request.user, project, Kind.LABELS)": (
        "it is asked again when the file is read; this one only spares the reading"
    ),
    **dict.fromkeys(
        [
            f"reports/pages/comparing/on_demand_pages.py _waiting: {who} in "
            "project_to(request.user, slug, Permission.SEE_LABELS)"
            for who in ("any member", "anybody")
        ],
        "the page that is waited for has asked already",
    ),
    "raters/quality/api.py RoundPass.put: all rows in get_object_or_404("
    "project.rounds.select_related('project'), pk=pk)": (
        "a rater of the project has no assignments in rounds of others"
    ),
    **dict.fromkeys(
        [
            f"raters/progress/missing_answers_api.py IncompleteAssignments.post: without project in "
            f"get_object_or_404({model}, project=project, key=asked['{name}'])"
            for model, name in (("Question", "question"), ("Round", "round"))
        ],
        "what is asked again is then looked up in the project",
    ),
    "raters/labeling/missing_answers.py incomplete_assignments: without question in "
    "Label.objects.filter(Q(category__in=chosen) | Q(category_set__overlap=chosen), "
    "question=condition.parent, item=OuterRef(": "a category belongs to one question",
}

# The test that fails without the check or scope, by the mutant: tests/faults/mutated.py runs it with the mutant.
NOTICED_BY: dict[str, str] = {
    "projects/members/invitations.py is_for: without user in "
    "Membership.objects.filter(project=invitation.project_id, user=user.pk)": (
        "tests/raters/test_joining.py::test_a_removed_member_cannot_come_back_by_another_earlier_invitation"
    ),
    "raters/access.py hides_assignments: without rounds_to_be_blind_in(user, round_.project)": (
        "tests/faults/test_blind_choices.py"
        "::test_where_raters_were_added_is_hidden_from_a_lead_who_labels_the_items"
    ),
    "raters/access.py refuse_blind_to_list: without rounds_to_be_blind_in(user, project)": (
        "tests/faults/test_blind_choices.py::test_a_list_with_hidden_items_is_no_choice"
    ),
    "raters/adjudication/bulk_api.py _wanted: without rounds_to_be_blind_in(request.user, project)": (
        "tests/raters/figures/test_actions.py"
        "::test_a_bulk_decision_is_refused_if_other_rounds_are_hidden_than_at_the_preview"
    ),
    "raters/adjudication/dispute_notifications.py _notify: without rounds_to_be_blind_in(user, project)": (
        "tests/raters/notifications/test_disputes.py::test_who_still_labels_the_item_does_not_learn_of_it"
    ),
    "raters/audits/assigning.py labeled_before: without rater in Label.objects.filter(rater=rater, "
    "item__key__in=keys)": (
        "tests/reports/audits/test_drawing.py::test_nobody_audits_an_item_that_they_labeled"
    ),
    "raters/items/pages.py _found: without rounds_to_be_blind_in(request.user, project)": (
        "tests/raters/labeling/test_texts.py"
        "::test_items_are_found_by_what_raters_wrote_but_not_by_who_labels_them_blind"
    ),
    "raters/labeling/missing_answers.py incomplete_assignments: without question in "
    "Label.objects.filter(question=question, item=OuterRef('item'), rater=OuterRef('rater'), "
    "pass_number=OuterRef('pass_numbe": (
        "tests/raters/notifications/test_causes.py::test_who_is_asked_again"
    ),
    "raters/linking/actions.py unlink: without rounds_to_be_blind_in(user, rater.project)": (
        "tests/faults/test_blind_to_the_end.py::test_unlinking_your_own_rater_shows_no_labels[unlinked_by_page]"
    ),
    "raters/model_runs/choosing.py _choice: without project in ItemList.objects.filter(project=project, "
    "pk=items.list)": (
        "tests/raters/model_runs/test_drafting.py::test_rounds_and_lists_of_other_projects_do_not_exist"
    ),
    "raters/model_runs/choosing.py _choice: without project in Round.objects.filter(project=project, "
    "pk=items.round)": (
        "tests/raters/model_runs/test_drafting.py::test_rounds_and_lists_of_other_projects_do_not_exist"
    ),
    "raters/notifications/causes.py round_opened: without rater in Assignment.objects.filter(round=round_, "
    "rater=None, state=Assignment.State.PENDING)": (
        "tests/raters/notifications/test_causes.py::test_a_round_is_opened"
    ),
    "raters/notifications/causes.py users_with_work: without rater in Assignment.objects.filter(counted(), "
    "rater=OuterRef('pk'), round=round_, state=Assignment.State.PENDING)": (
        "tests/raters/notifications/test_causes.py::test_a_round_is_opened"
    ),
    "raters/notifications/causes.py users_with_work: without round in Assignment.objects.filter(counted(), "
    "rater=OuterRef('pk'), round=round_, state=Assignment.State.PENDING)": (
        "tests/raters/notifications/test_causes.py::test_who_is_added_to_an_open_round"
    ),
    "raters/notifications/mailing.py send: without user in _confirmed().filter(user=mail.recipient, "
    "user__is_active=True)": ("tests/raters/notifications/test_mailing.py::test_at_once"),
    "raters/progress/pages.py _asking: always Permission.EDIT_PROJECT not in permissions_in(request.user, "
    "project)": (
        "tests/raters/labeling/test_asking_again.py::test_each_number_leads_to_its_list_and_the_list_asks"
    ),
    "raters/progress/progress_figures.py _counts_in: always Permission.LABEL in "
    "PERMISSIONS.get(roles.get(rater.user_id or 0, ''), ())": (
        "tests/raters/progress/test_pages.py::test_work_of_raters_who_may_no_longer_label_is_reassigned"
    ),
    "raters/progress/progress_lists.py _assignments: without rater in assignments.filter(rater=None)": (
        "tests/raters/progress/test_pages.py::test_every_number_leads_to_as_many_rows"
    ),
    "raters/rounds/attempts.py _items: without rater in Label.objects.filter(rater=rater)": (
        "tests/raters/rounds/test_attempts.py::test_on_other_items_it_opens_what_waits_behind_the_first"
    ),
    "raters/rounds/revealed.py _names: without rater in Label.objects.filter(round=round_, "
    "rater=OuterRef('pk'))": (
        "tests/raters/rounds/test_revealed_pages.py::test_the_letters_tell_nothing_of_raters_of_other_rounds"
    ),
    "raters/rounds/revealed.py _names: without round in Label.objects.filter(round=round_, "
    "rater=OuterRef('pk'))": (
        "tests/raters/rounds/test_revealed_pages.py::test_the_letters_tell_nothing_of_raters_of_other_rounds"
    ),
    "raters/rounds/stored_progress.py round_list_context: without rounds_to_be_blind_in(by, project)": (
        "tests/faults/test_blind_choices.py"
        "::test_where_raters_were_added_is_hidden_from_a_lead_who_labels_the_items"
    ),
    "raters/threads/actions.py own_threads: without rater in Thread.objects.filter(rater=rater.pk or 0)": (
        "tests/raters/threads/test_threads.py::test_no_other_rater_sees_it"
    ),
    "raters/threads/pages.py own_thread: without rater in Thread.objects.filter(rater=rater, "
    "item=assignment.item)": ("tests/raters/threads/test_threads.py::test_no_other_rater_sees_it"),
    "reports/pages/audits/result_pages.py _shows_raters: always Permission.EDIT_PROJECT not in permissions": (
        "tests/reports/audits/test_audit_pages.py"
        "::test_the_result_of_a_sequential_audit_has_its_decision_and_its_course"
    ),
    "reports/pages/calculator_saving_pages.py _save: any member in project_to(request.user, slug, "
    "Permission.IMPORT)": (
        "tests/reports/calculator/test_pages.py::test_nobody_saves_into_a_project_that_they_may_not_import_to"
    ),
    "reports/pages/calculator_saving_pages.py _save: anybody in project_to(request.user, slug, "
    "Permission.IMPORT)": (
        "tests/reports/calculator/test_pages.py::test_nobody_saves_into_a_project_that_they_may_not_import_to"
    ),
    "reports/pages/comparing/decisions_page.py _section: always Permission.EDIT_PROJECT in "
    "permissions_in(request.user, result.report.project)": (
        "tests/reports/pages/test_decisions_page.py::test_only_leads_plan"
    ),
    "reports/pages/comparing/on_demand_pages.py _waiting: always Permission.ASK_REPORTS in "
    "permissions_in(request.user, project)": (
        "tests/reports/pages/test_on_demand.py::test_who_may_only_look_waits_without_buttons"
    ),
    "reports/pages/comparing/on_demand_pages.py _waiting: any member in project_to(request.user, slug, "
    "Permission.SEE_LABELS)": (
        "tests/faults/test_hidden_names.py::test_two_reports_are_compared_under_letters"
    ),
    "reports/sources/attribute_members.py stored_groups: without report in "
    "AttributeGroup.objects.filter(report=report, unit=unit, name=name, value__isnull=False)": (
        "tests/reports/pages/test_filter.py::test_filtered_figures_are_those_of_a_report_on_the_rest[single-0]"
    ),
    "projects/codebook/pages.py _question_now: any member in project_to(request.user, slug, "
    "Permission.EDIT_PROJECT)": (
        "tests/projects/codebook/test_drafts.py::test_only_leads_open_what_is_drafted[rater]"
    ),
    "projects/codebook/pages.py _question_now: anybody in project_to(request.user, slug, "
    "Permission.EDIT_PROJECT)": (
        "tests/projects/codebook/test_drafts.py::test_only_leads_open_what_is_drafted[rater]"
    ),
    "projects/codebook/pages.py _category_now: any member in project_to(request.user, slug, "
    "Permission.EDIT_PROJECT)": (
        "tests/projects/codebook/test_drafts.py::test_only_leads_open_what_is_drafted[rater]"
    ),
    "projects/codebook/pages.py _category_now: anybody in project_to(request.user, slug, "
    "Permission.EDIT_PROJECT)": (
        "tests/projects/codebook/test_drafts.py::test_only_leads_open_what_is_drafted[rater]"
    ),
    "raters/accounts/erasing.py erase: without user in NotificationChoice.objects.filter(user=user)": (
        "tests/raters/test_erasing.py::test_what_others_chose_to_be_notified_of_stays"
    ),
    "raters/notifications/preferences.py choices_of: without user in "
    "NotificationChoice.objects.filter(user=user)": (
        "tests/raters/test_erasing.py::test_what_others_chose_to_be_notified_of_stays"
    ),
    "raters/imports/pages.py _draft_of_sheet: without refuse_while_labeling(request.user, run.project, kind)": (
        "tests/faults/test_blind_choices.py::test_nor_another_sheet_of_labels"
    ),
    "raters/imports/pages.py _upload: without refuse_while_labeling(request.user, project, kind)": (
        "tests/faults/test_blind_choices.py::test_a_lead_who_labels_reads_no_file_of_labels"
    ),
    "raters/imports/pages.py recheck_as_other_kind: without refuse_while_labeling(request.user, run.project, "
    "kind)": ("tests/faults/test_blind_choices.py::test_a_lead_who_labels_reads_no_file_of_labels"),
    "reports/pages/calculator_saving_pages.py _save: without refuse_while_labeling(request.user, project, "
    "LABELS)": ("tests/faults/test_blind_choices.py::test_a_lead_who_labels_reads_no_file_of_labels"),
    "raters/labeling/own_work.py own_labels_page: without rater in Label.objects.filter(rater=rater.pk, "
    "item__in=items)": (
        "tests/raters/labeling/test_own_work.py::test_answers_of_others_to_the_same_item_are_not_among_them"
    ),
    "raters/quality/passing.py gates_closed_to: without rater in Qualification.objects.filter(rater=rater.pk "
    "or 0, is_passed=True)": (
        "tests/raters/quality/test_passing.py::test_who_passes_opens_nothing_for_others"
    ),
    "raters/quality/passing.py own_results: without rater in Qualification.objects.filter(rater=rater.pk or "
    "0, round__pass_mark__isnull=False)": (
        "tests/raters/quality/test_passing.py::test_who_passes_opens_nothing_for_others"
    ),
    "raters/scorecard/pages.py _led_by: without user in Membership.objects.filter(user=user.pk, "
    "role=Membership.Role.LEAD)": ("tests/raters/scorecard/test_cards.py::test_all_projects_of_a_lead"),
    "reports/pages/audits/result_pages.py AuditorsForm.__init__: without who_may_label(project)": (
        "tests/reports/audits/test_audit_pages.py::test_a_second_sample_is_assigned_on_the_page"
    ),
    "reports/pages/audits/result_pages.py audit: without who_may_label(project)": (
        "tests/reports/audits/test_audit_pages.py::test_a_second_sample_is_assigned_on_the_page"
    ),
    "raters/imports/api.py _visible_imports: always Permission.IMPORT in permissions_in(request.user, "
    "project)": ("tests/raters/test_import_drafts.py::test_drafts_are_seen_by_those_who_may_import"),
    "raters/labeling/own_rounds.py own_rounds: without rater in "
    "Assignment.objects.filter(round=OuterRef('pk'), rater=None, is_on_demand=True, "
    "state=Assignment.State.PENDING)": (
        "tests/raters/labeling/test_own_work.py::test_what_is_free_in_one_round_is_not_in_another"
    ),
    "raters/labeling/own_rounds.py own_rounds: without round in "
    "Assignment.objects.filter(round=OuterRef('pk'), rater=None, is_on_demand=True, "
    "state=Assignment.State.PENDING)": (
        "tests/raters/labeling/test_own_work.py::test_what_is_free_in_one_round_is_not_in_another"
    ),
    "raters/labeling/missing_answers.py conditions_of: without project in "
    "Question.objects.filter(project=question.project_id, key=question.asked_if_question)": (
        "tests/projects/codebook/test_conditions.py::test_an_answer_that_was_not_asked_for_is_not_missing"
    ),
    "raters/labeling/missing_answers.py incomplete_assignments: without rater in "
    "Label.objects.filter(Q(category__in=chosen) | Q(category_set__overlap=chosen), "
    "question=condition.parent, item=OuterRef(": (
        "tests/projects/codebook/test_conditions.py"
        "::test_who_lacks_an_answer_says_nothing_to_a_lead_who_labels_the_same_items"
    ),
}
