"""Settings, read from the environment; `.env.example` lists every variable."""

import os
from datetime import timedelta
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from config.api_settings import KNOX_TOKEN_MODEL, REST_FRAMEWORK, REST_KNOX, SPECTACULAR_SETTINGS  # noqa: F401
from config.environment import state_folder
from config.logs import logging_to
from config.mail_server import mail_from, site_url
from config.model_endpoint import endpoint_url, offered_models, run_limits
from config.variables import database_url, flag, log_level, one_of, seconds, time_zone, whole, words

BASE_DIR = Path(__file__).resolve().parent.parent
# The only place for the version; pyproject.toml and docs/conf.py read it from here.
VERSION = "0.3.0"


def secret_key() -> str:
    """The secret key from SECRET_KEY, or from the file that SECRET_KEY_FILE names."""
    if path := os.environ.get("SECRET_KEY_FILE"):
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get("SECRET_KEY", "")


DEBUG = flag("DEBUG", default=False)
SECRET_KEY = secret_key()
HTTPS = flag("HTTPS", default=False)
ALLOWED_HOSTS = words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = words("CSRF_TRUSTED_ORIGINS", "")

INSTALLED_APPS = [
    "config",
    "core",
    "projects",
    "raters",
    "reports",
    "rest_framework",
    "csp",
    "knox",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "raters.apps.SessionsConfig",
    "drf_spectacular",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
]

MIDDLEWARE = [
    "config.middleware.RequestIdMiddleware",
    "config.metrics.request_metrics.RequestMetricsMiddleware",
    "config.caching.NoStoreMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.UnreadableRequestMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "raters.accounts.sessions.SessionMaintenanceMiddleware",
    # Deny by default: pages require sign-in, unless their view says otherwise.
    "config.middleware.SignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "reports.label_access.LabelAccessMiddleware",
    "reports.hidden_names.HiddenNamesMiddleware",
    "config.errors.RefusalMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
AUTH_USER_MODEL = "raters.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.version",
                "config.context.signing_up",
                "config.context.rater_letters",
                "config.context.unread_notifications",
            ],
        },
    },
]

# The time limit for a page's SQL statements; workers set their own limit.
DATABASES = {
    "default": dj_database_url.parse(
        database_url("DATABASE_URL", "postgres:///interrater"), conn_max_age=60, conn_health_checks=True
    )
}
# Used elsewhere, but a mistake in them should show at once.
for _name in ("ADMIN_DATABASE_URL", "READER_DATABASE_URL"):
    database_url(_name)
DATABASES["default"].setdefault("OPTIONS", {})
# A database on another host that has lost its power or its network says nothing; its silence ends after half a minute.
DATABASES["default"]["OPTIONS"] = {
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    **DATABASES["default"]["OPTIONS"],
    "application_name": "interrater",
}

# The most connections of one process of the web server, for its threads to share; 0: each has its own.
WEB_CONNECTIONS = whole("WEB_CONNECTIONS", 0, low=0)

# Celery carries hints only: a run's row in PostgreSQL is the record of work (docs/adr/0002).
BROKER_URL = os.environ.get("BROKER_URL", "redis://localhost:6379/0")
CELERY_BROKER_URL = BROKER_URL
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_BACKEND = None
CELERY_TASK_ACKS_LATE = True
# The lease recovers a lost run; rejecting would redeliver a poison run forever.
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SOFT_TIME_LIMIT = whole("RUN_SOFT_TIME_LIMIT", 300)
CELERY_TASK_TIME_LIMIT = CELERY_TASK_SOFT_TIME_LIMIT + 30
CELERY_WORKER_MAX_TASKS_PER_CHILD = 100
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 512 * 1024
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# Losing the broker need not stop a run: a second delivery of its message finds it claimed.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
# Reducing the prefetch count after a lost connection could leave a worker alive but idle forever.
CELERY_WORKER_ENABLE_PREFETCH_COUNT_REDUCTION = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "unacked_restore_throttle": 1,
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 25,
}
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_max": 0.1}

# A run is started again when its worker has sent no heartbeat for this long (seconds).
RUN_LEASE = seconds("RUN_LEASE", 60)
RUN_HEARTBEAT = RUN_LEASE / 4
RUN_MAX_ATTEMPTS = 3
# What would take a report longer than this, in seconds, is computed by several workers in shards of about this size.
RUN_SHARD_SECONDS = seconds("RUN_SHARD_SECONDS", 5)
# Limits on reports, comparisons and imports that wait for a worker; further ones are refused with 429.
RUN_MAX_WAITING_PER_PROJECT = whole("RUN_MAX_WAITING_PER_PROJECT", 20)
RUN_MAX_WAITING_PER_PERSON = whole("RUN_MAX_WAITING_PER_PERSON", 10)
# Memory limit of one worker process; a run that needs more fails and says so (MiB).
RUN_MEMORY_MB = whole("RUN_MEMORY_MB", 4096)

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "projects"
LOGOUT_REDIRECT_URL = "account_login"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
# Lifetime of a link to reset a password (seconds).
PASSWORD_RESET_TIMEOUT = 24 * 3600

# Who may create an account: anyone, people with an invitation, or nobody.
SIGN_UP = one_of("SIGN_UP", ("open", "invitation", "closed"), "invitation")

MAIL = mail_from(os.environ.get("EMAIL_URL", ""))
# Without a mail server, nobody can confirm an address, so nobody is asked to.
HAS_MAIL = MAIL.is_sent
EMAIL_BACKEND = MAIL.backend
EMAIL_HOST, EMAIL_PORT = MAIL.host, MAIL.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = MAIL.user, MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = MAIL.use_tls, MAIL.use_ssl
# Such as password links: the response time must not reveal who has an account.
MAIL_AFTER_ANSWER = True
# A hanging mail server must not delay a page for long (seconds).
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("EMAIL_FROM") or "Interrater <interrater@localhost>"
SERVER_EMAIL = DEFAULT_FROM_EMAIL

# The address of this site, which links in notifications begin with: workers see no request.
SITE_URL = site_url(os.environ.get("SITE_URL", ""), hosts=ALLOWED_HOSTS, is_https=HTTPS)
# The hour of the server's day (TIME_ZONE) from which the daily email of notifications is sent.
NOTIFICATION_DIGEST_HOUR = whole("NOTIFICATION_DIGEST_HOUR", 7, low=0, high=23)
NOTIFICATION_KEPT_FOR = timedelta(days=90)

ACCOUNT_ADAPTER = "raters.accounts.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*" if HAS_MAIL else "email", "password1*", "password2*"]
ACCOUNT_USERNAME_VALIDATORS = "raters.accounts.forms.USERNAME_VALIDATORS"
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if HAS_MAIL else "none"
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Interrater: "
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_SESSION_REMEMBER = True
# The password is required again before a second factor or an email address is changed.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
# Per account ("key") against guessing one password; per IP address against trying one password on many accounts.
ACCOUNT_RATE_LIMITS = {
    "login": "120/m/ip",
    "login_failed": "60/m/ip,10/15m/key",
    "signup": "30/m/ip",
    "reset_password": "20/m/ip,5/h/key",
    "reset_password_from_key": "30/m/ip",
    "change_password": "10/m/user",
    "manage_email": "20/m/user",
    "reauthenticate": "20/m/user",
    "confirm_email": "1/3m/key",
}
ACCOUNT_FORMS = {
    "login": "raters.accounts.forms.SignInForm",
    "signup": "raters.accounts.forms.SignUpForm",
    "add_email": "raters.accounts.forms.AddEmailForm",
    "change_password": "raters.accounts.forms.ChangePasswordForm",
    "reset_password": "raters.accounts.forms.ResetPasswordForm",
    "reset_password_from_key": "raters.accounts.forms.NewPasswordForm",
    "reauthenticate": "raters.accounts.forms.ReauthenticateForm",
}
MFA_ADAPTER = "raters.accounts.adapters.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Interrater"
MFA_FORMS = {
    "authenticate": "raters.accounts.forms.CodeForm",
    "reauthenticate": "raters.accounts.forms.ReauthenticateCodeForm",
    "activate_totp": "raters.accounts.forms.ActivateForm",
}
# Rate-limit counters are kept here, so all processes must share it.
CACHES = {"default": {"BACKEND": "raters.cache.PostgresCache"}}

# A session ends after this long without use, and after the second limit in any case (seconds).
SESSION_COOKIE_AGE = 12 * 3600
SESSION_MAX_AGE = 14 * 24 * 3600
SESSION_SAVE_EVERY_REQUEST = False
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "session"
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
SECURE_SSL_REDIRECT = HTTPS
# Health checks come from the machine itself, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
BEHIND_PROXY = flag("BEHIND_PROXY", default=False)
if HTTPS and BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Attempts are counted by the address that our own proxy or we see, never by what a client claims.
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if BEHIND_PROXY else 0
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "media-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# The preview of an import has a field for each of up to 2,000 columns, and one for each of 1,000 values.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
# An unconfirmed draft is discarded after this long, and its file deleted.
IMPORT_DRAFT_LASTS = timedelta(days=1)
# How long repeated saves are recognized.
SUBMISSION_KEPT_FOR = timedelta(days=30)
# How many characters the answer to a text question may have whose codebook names no other number; at most 10,000.
TEXT_ANSWER_LENGTH = 2_000
# Whether people may create API tokens that never expire.
TOKENS_MAY_LAST = flag("TOKENS_MAY_LAST", default=False)
# How long expired and revoked invitations stay listed.
INVITATION_REMAINS_FOR = timedelta(days=90)
# Whether webhooks may go to private networks and this machine; whether they may be unencrypted.
WEBHOOK_PRIVATE_ADDRESSES = flag("WEBHOOK_PRIVATE_ADDRESSES", default=False)
WEBHOOK_HTTP = flag("WEBHOOK_HTTP", default=False)
# The endpoint that labels items in model runs, off without an address. MODELS: allowed names, with prices per million
# tokens (input, output) if given.
MODEL_ENDPOINT = endpoint_url(os.environ.get("MODEL_ENDPOINT", ""))
MODEL_KEY = os.environ.get("MODEL_KEY", "").strip()
MODELS = offered_models(os.environ.get("MODEL_NAMES", ""))
# Limit on the time for an answer (seconds), on requests at a time, and on items of a run.
_MODEL_LIMITS = run_limits(
    os.environ.get("MODEL_TIMEOUT", "60"),
    os.environ.get("MODEL_CONCURRENCY", "4"),
    os.environ.get("MODEL_MAX_ITEMS", "10000"),
    soft_time_limit=CELERY_TASK_SOFT_TIME_LIMIT if MODEL_ENDPOINT else float("inf"),
)
MODEL_TIMEOUT = _MODEL_LIMITS.timeout
MODEL_CONCURRENCY = _MODEL_LIMITS.n_at_once
MODEL_MAX_ITEMS = _MODEL_LIMITS.n_items
# Seconds from each try of a request to the next, unless the endpoint asks for more.
MODEL_PAUSES = (2.0, 10.0, 30.0, 120.0)
# How long a draft of a model run can be started.
MODEL_DRAFT_LASTS = timedelta(days=1)
# How long deliveries stay in a webhook's log.
DELIVERY_KEPT_FOR = timedelta(days=30)
# Days for which a deleted project can be restored before it is purged.
PROJECT_DELETION_DAYS = whole("PROJECT_DELETION_DAYS", 30)
# Larger uploaded files are refused while they are read (bytes).
IMPORT_MAX_BYTES = whole("IMPORT_MAX_BYTES", 200 * 1024 * 1024)
IMPORT_MAX_ROWS = whole("IMPORT_MAX_ROWS", 1_000_000)

# Whether anyone can use the calculator without an account, and how often from one IP address.
CALCULATOR = flag("CALCULATOR", default=False)
CALCULATOR_RATE = "60/m/ip,600/h/ip"

# Larger project files can be imported by command only (bytes).
PROJECT_FILE_MAX_BYTES = whole("PROJECT_FILE_MAX_BYTES", 200 * 1024 * 1024)

# Images, audio and video of items, named by digest; nothing serves this folder by path.
MEDIA_ROOT = Path(os.environ.get("MEDIA_ROOT") or state_folder() / "media")
# Or in a bucket of an object storage; without keys, those that the machine itself has.
MEDIA_S3_BUCKET = os.environ.get("MEDIA_S3_BUCKET", "")
MEDIA_S3 = {
    "bucket_name": MEDIA_S3_BUCKET,
    "endpoint_url": os.environ.get("MEDIA_S3_ENDPOINT") or None,
    "region_name": os.environ.get("MEDIA_S3_REGION") or None,
    "access_key": os.environ.get("MEDIA_S3_ACCESS_KEY") or None,
    "secret_key": os.environ.get("MEDIA_S3_SECRET_KEY") or None,
}
# Limits of one upload (all files together, archives unpacked) and of one project (bytes).
MEDIA_MAX_BYTES = whole("MEDIA_MAX_BYTES", 200 * 1024 * 1024)
MEDIA_MAX_PROJECT_BYTES = whole("MEDIA_MAX_PROJECT_BYTES", 20 * 1024**3)
DATA_UPLOAD_MAX_NUMBER_FILES = 1000

LANGUAGE_CODE = "en"
TIME_ZONE = time_zone()
USE_I18N = False
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT") or BASE_DIR / "staticfiles")
STATICFILES_DIRS = [BASE_DIR / "static"]
# The documentation built by `make docs`, served under /help/.
HELP_ROOT = BASE_DIR / "build" / "help"
STORAGES = {
    "default": {"BACKEND": "projects.media.objects.ObjectStorage", "OPTIONS": MEDIA_S3}
    if MEDIA_S3_BUCKET
    else {"BACKEND": "projects.media.storage.DurableFiles"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# Where Prometheus reads metrics: HOST:PORT, another port than that of the site. Empty: nowhere.
METRICS_BIND = os.environ.get("METRICS_BIND", "")
if METRICS_BIND and not METRICS_BIND.rpartition(":")[2].isdecimal():
    raise ImproperlyConfigured(f"METRICS_BIND must be HOST:PORT, got {METRICS_BIND!r}.")

LOGGING = logging_to(os.environ.get("LOG_FILE", ""), log_level())
