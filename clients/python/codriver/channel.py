"""How a sidecar is reached: address, retries, keepalive."""

from __future__ import annotations

import json
import os
from typing import Final

ADDRESS_VARIABLE: Final = "CODRIVER_ADDRESS"
DEFAULT_ADDRESS: Final = "127.0.0.1:50151"
DEFAULT_TIMEOUT_S: Final = 5.0
READY_POLL_S: Final = 0.1
READY_CALL_S: Final = 2.0

# Every method may be retried (see the proto), but only UNAVAILABLE says that another try may help.
SERVICE_CONFIG: Final = {
    "methodConfig": [
        {
            "name": [
                {"service": "codriver.v1.DecisionService"},
                {"service": "codriver.v1.InfoService"},
            ],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.1s",
                "maxBackoff": "1s",
                "backoffMultiplier": 2,
                "retryableStatusCodes": ["UNAVAILABLE"],
            },
        }
    ]
}
OPTIONS: Final = (
    ("grpc.enable_retries", 1),
    ("grpc.service_config", json.dumps(SERVICE_CONFIG)),
    # The default of two minutes between reconnects is too long for a process next door.
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    # A proxy meant for the outside must never get what is said to the sidecar.
    ("grpc.enable_http_proxy", 0),
)


def target(address: str | None = None) -> str:
    """The address to dial: the argument, else CODRIVER_ADDRESS, else the default.

    "host:port", "unix:///absolute/path" or "unix:relative/path".
    """
    return address or os.environ.get(ADDRESS_VARIABLE) or DEFAULT_ADDRESS
