"""URLs of the codebook API, below /api/v1/."""

from django.urls import URLPattern, path

from projects.codebook import api as codebook

HERE = "projects/<slug:slug>/codebook/"
QUESTION = f"{HERE}questions/<id:pk>/"

urlpatterns: list[URLPattern] = [
    path("codebook-starters/", codebook.StarterList.as_view(), name="api_codebook_starters"),
    path(HERE, codebook.Codebook.as_view(), name="api_codebook"),
    path(f"{HERE}order/", codebook.CodebookOrder.as_view(), name="api_codebook_order"),
    path(f"{HERE}copy/", codebook.CodebookCopy.as_view(), name="api_codebook_copy"),
    path(f"{HERE}guidelines/", codebook.GuidelinesList.as_view(), name="api_guidelines"),
    path(
        f"{HERE}guidelines/<id:number>/", codebook.GuidelinesDetail.as_view(), name="api_guidelines_version"
    ),
    path(QUESTION, codebook.QuestionDetail.as_view(), name="api_question"),
    path(f"{QUESTION}order/", codebook.CategoryOrder.as_view(), name="api_category_order"),
    path(f"{QUESTION}categories/", codebook.CategoryList.as_view(), name="api_categories"),
    path(
        f"{HERE}questions/<id:question>/categories/<id:pk>/",
        codebook.CategoryDetail.as_view(),
        name="api_category",
    ),
]
