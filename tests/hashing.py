from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """One round, for speed; the real servers under test read it as they read any PBKDF2."""

    iterations = 1
