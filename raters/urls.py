"""The pages of this app."""

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from projects import converters  # noqa: F401  (registers <id:> and <key:>)
from raters import accounts, import_api, import_pages, item_pages

urlpatterns: list[URLPattern] = [
    path("sign-in/", accounts.SignIn.as_view(), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/password/", accounts.ChangePassword.as_view(), name="password"),
    path("account/tokens/", accounts.create_token, name="token_create"),
    path("account/tokens/<slug:token_key>/revoke/", accounts.revoke_token, name="token_revoke"),
    path("p/<slug:slug>/import/", import_pages.imports, name="imports"),
    path("p/<slug:slug>/import/<id:pk>/", import_pages.label_import, name="import"),
    path("p/<slug:slug>/import/<id:pk>/confirm/", import_pages.confirm_import, name="import_confirm"),
    path("p/<slug:slug>/import/<id:pk>/cancel/", import_pages.cancel_import, name="import_cancel"),
    path("api/v1/projects/<slug:slug>/imports/", import_api.Imports.as_view(), name="api_imports"),
    path("api/v1/projects/<slug:slug>/imports/<id:pk>/", import_api.Import.as_view(), name="api_import"),
    path("p/<slug:slug>/items/", item_pages.items, name="items"),
    path("p/<slug:slug>/items/<id:pk>/", item_pages.item, name="item"),
]
