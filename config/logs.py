"""What the log never holds: the words of an address that would let whoever reads them in."""

import logging
import re

# Links of invitations, of new passwords, and of e-mail addresses to confirm.
SECRET = re.compile(r"(/(?:join|r|account/reset|account/confirm)/)[^/\s\"'?]{8,}")
# Tokens of the API, whoever put one into an address.
TOKEN = re.compile(r"\birr_[0-9a-f]{8,}")


class HideSecrets(logging.Filter):
    """Cuts the secret out of each line, wherever in it the address stands."""

    def filter(self, record: logging.LogRecord) -> bool:
        line = record.getMessage()
        hidden = TOKEN.sub("irr_…", SECRET.sub(r"\1…", line))
        if hidden != line:
            record.msg, record.args = hidden, None
        return True
