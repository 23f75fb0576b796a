"""URLs of the pages of the codebook and the guidelines."""

from django.urls import URLPattern, path

from projects.codebook import draft_pages, guidelines_pages, pages

HERE = "p/<slug:slug>/codebook/"
QUESTION = f"{HERE}questions/<id:pk>/"
CATEGORY = f"{HERE}categories/<id:pk>/"

urlpatterns: list[URLPattern] = [
    path(HERE, pages.codebook, name="codebook"),
    path(f"{HERE}order/", pages.order_questions, name="codebook_order"),
    path(f"{HERE}copy/", pages.copy_codebook, name="codebook_copy"),
    path(f"{HERE}start/", pages.start_codebook, name="codebook_start"),
    path(f"{HERE}draft/", draft_pages.draft, name="codebook_draft"),
    path(f"{HERE}draft/publish/", draft_pages.publish, name="codebook_publish"),
    path(f"{HERE}draft/update/", draft_pages.update, name="codebook_draft_update"),
    path(f"{HERE}draft/discard/", draft_pages.discard, name="codebook_draft_discard"),
    path(f"{HERE}questions/new/", pages.new_question, name="codebook_question_new"),
    path(QUESTION, pages.question, name="codebook_question"),
    path(f"{QUESTION}delete/", pages.delete_question, name="codebook_question_delete"),
    path(f"{QUESTION}move/", pages.move_question, name="codebook_question_move"),
    path(f"{QUESTION}order/", pages.order_categories, name="codebook_category_order"),
    path(f"{QUESTION}categories/", pages.add_category, name="codebook_category_add"),
    path(CATEGORY, pages.category, name="codebook_category"),
    path(f"{CATEGORY}delete/", pages.delete_category, name="codebook_category_delete"),
    path(f"{CATEGORY}move/", pages.move_category, name="codebook_category_move"),
    path(f"{HERE}guidelines/", guidelines_pages.guidelines, name="guidelines"),
    path(f"{HERE}guidelines/edit/", guidelines_pages.edit, name="guidelines_edit"),
    path(f"{HERE}guidelines/<id:number>/", guidelines_pages.version, name="guidelines_version"),
]
