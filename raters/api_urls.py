"""The API of raters and accounts, below /api/v1/."""

from django.urls import URLPattern, path

from raters import api_accounts, api_joining

urlpatterns: list[URLPattern] = [
    path("tokens/", api_accounts.TokenList.as_view(), name="api_tokens"),
    path("tokens/<slug:token_key>/", api_accounts.TokenDetail.as_view(), name="api_token"),
    path("projects/<slug:slug>/raters/", api_accounts.RaterList.as_view(), name="api_raters"),
    path("projects/<slug:slug>/raters/<id:pk>/", api_accounts.RaterDetail.as_view(), name="api_rater"),
    path("invitations/redeem/", api_joining.Redeem.as_view(), name="api_join"),
]
