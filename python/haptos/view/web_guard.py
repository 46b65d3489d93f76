"""The door of the page: what a request must have before viser hears of it.

viser serves whoever reaches its port. Here a page opens only by its address with the key in it;
what comes from another site's page, under another host name, is too large, too slow or too much is
closed. The simulation runs in another thread and is not held up.
"""

from __future__ import annotations

import hmac
import http
import ipaddress
import logging
import secrets
import socket
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from typing import Any
from urllib.parse import urlsplit

from haptos.base.errors import refuse
from haptos.look.movies import need

MAX_PAGES = 16  # open at a time
MAX_CONNECTIONS = 64
MAX_STRANGERS = 32  # of these, that have not shown the key
MAX_MESSAGE = 1 << 20  # that a page may send [byte]
OPEN_SECONDS = 5.0  # for the head of a request

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_CONTENT = ("default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
            "connect-src 'self' ws: wss: data: blob:; frame-ancestors 'none'")
_starting = threading.Lock()

_log = logging.getLogger("haptos.page")
_log.addHandler(logging.NullHandler())
_log.propagate = False


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host in _LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets requests with the key in, and counts connections."""

    def __init__(self, host: str) -> None:
        self.key = secrets.token_urlsafe(16)
        self.refused = 0  #: requests that were turned away
        self.pages = 0  #: open
        self.connections = 0
        self._strangers: dict[Any, None] = {}  # connections that have not shown the key, oldest first
        self._host = host
        self._in_use = False

    # -- what is let in ------------------------------------------------------------------------

    def allows_host(self, header: str) -> bool:
        """Whether a Host header names this machine, not a site that was pointed at it."""
        try:
            name = (urlsplit(f"//{header}").hostname or "").lower()
        except ValueError:
            return False
        if is_loopback(name):
            return True
        if is_loopback(self._host):
            return False
        try:
            ipaddress.ip_address(name)
            return True  # a number cannot be pointed elsewhere
        except ValueError:
            own = socket.gethostname().lower()
            return name in (self._host.lower(), own, own.split(".")[0], f"{own}.local",
                            socket.getfqdn().lower())

    def path_within(self, path: str) -> str | None:
        """What follows the key in a path; None where the key is not there."""
        head, _, rest = path.partition("?")[0].lstrip("/").partition("/")
        if not hmac.compare_digest(head.encode("utf-8", "replace"), self.key.encode()):
            return None
        return "/" + rest

    def check(self, headers: Any, path: str) -> tuple[http.HTTPStatus, str] | str:
        """The path for viser, or why there is none."""
        hosts = headers.get_all("Host")
        if len(hosts) != 1 or not self.allows_host(hosts[0]):
            return http.HTTPStatus.FORBIDDEN, "another host name\n"
        origins = headers.get_all("Origin")
        if origins and (len(origins) > 1 or urlsplit(origins[0]).netloc != hosts[0]):
            return http.HTTPStatus.FORBIDDEN, "another site\n"
        within = self.path_within(path)
        if within is None:
            return http.HTTPStatus.NOT_FOUND, "open the address that haptos view printed\n"
        if headers.get("Upgrade") and self.pages >= MAX_PAGES:
            return http.HTTPStatus.SERVICE_UNAVAILABLE, "too many pages are open\n"
        return within

    # -- in place of websockets.asyncio.server.serve -------------------------------------------

    def wrap(self, serve: Callable[..., Any]) -> Callable[..., Any]:
        """serve() with this guard before it."""
        from websockets.asyncio.server import ServerConnection
        from websockets.http11 import Headers, Response

        guard = self

        class Connection(ServerConnection):
            def connection_made(self, transport: Any) -> None:
                guard.connections += 1
                super().connection_made(transport)
                guard._strangers[self] = None
                # Whoever holds the key sends it at once: the oldest without it makes room.
                if len(guard._strangers) > MAX_STRANGERS or guard.connections > MAX_CONNECTIONS:
                    oldest = next(iter(guard._strangers))
                    del guard._strangers[oldest]
                    guard.refused += 1
                    oldest.transport.abort()

            def connection_lost(self, exc: Exception | None) -> None:
                guard.connections -= 1
                guard._strangers.pop(self, None)
                super().connection_lost(exc)

        def guarded(handler: Any, host: str, port: int, *, process_request: Any,
                    **options: Any) -> Any:
            guard._in_use = True

            async def handle(connection: Any) -> None:
                guard.pages += 1
                try:
                    await handler(connection)
                finally:
                    guard.pages -= 1

            def process(connection: Any, request: Any) -> Any:
                found = guard.check(request.headers, request.path)
                if not isinstance(found, str):
                    guard.refused += 1
                    status, text = found
                    body = text.encode()
                    return Response(status, status.phrase, Headers(
                        {"Content-Type": "text/plain", "Content-Length": str(len(body)),
                         "Connection": "close"}), body)
                guard._strangers.pop(connection, None)
                request.path = found
                response = process_request(connection, request)
                if response is not None:
                    response.headers["Referrer-Policy"] = "no-referrer"
                    response.headers["X-Content-Type-Options"] = "nosniff"
                    response.headers["Cache-Control"] = "no-store"
                    response.headers["Content-Security-Policy"] = _CONTENT
                return response

            options.update(max_size=MAX_MESSAGE, open_timeout=OPEN_SECONDS, close_timeout=1.0,
                           server_header=None,
                           create_connection=Connection, logger=_log)
            return serve(handle, host, port, process_request=process, **options)

        return guarded


def free_port(host: str, port: int) -> int:
    """The first of 1000 ports from this one on that can be served. Raises InputError."""
    if not 0 <= port <= 65535:
        refuse("--port", port, "must be from 0 to 65535", "for example 8080")
    try:
        family = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError):
        refuse("--host", host, "is no address", "127.0.0.1 is this machine")
    problem = "no port is free"
    for attempt in range(port, min(port + 1000, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind((host, attempt))
                return int(s.getsockname()[1])
            except OSError as e:
                problem = str(e.strerror)
    refuse("--host", f"{host}, port {port}", f"cannot be served: {problem}",
           "127.0.0.1 is this machine")


def guarded_server(host: str, port: int, label: str) -> tuple[Any, Guard]:
    """A viser server behind a Guard. Raises InputError where viser is missing or the address cannot
    be served."""
    viser = need("viser")
    import websockets.asyncio.server as server_module
    from viser import _messages

    guard = Guard(host)
    port = free_port(host, port)
    with _starting:
        # viser calls serve() in a thread of its own, which is past it when ViserServer() returns.
        real = server_module.serve
        server_module.serve = guard.wrap(real)
        try:
            with redirect_stdout(StringIO()):  # it would print an address without the key
                server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
        finally:
            server_module.serve = real
    if not guard._in_use:
        server.stop()
        refuse("viser", viser.__version__, "starts its page in a way that is not known here",
               "install a version that the extra view allows: pip install 'haptos[view]'")
    # A page could otherwise ask viser to show itself to the world through a tunnel.
    for message in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        server._websock_server._incoming_handlers.pop(message, None)
    server.gui.configure_theme(show_share_button=False, show_logo=False, control_width="medium",
                               brand_color=(60, 110, 140))
    return server, guard
