"""What may reach the page, and what attacks it: closed, with the simulation untouched."""

import contextlib
import resource
import socket
import time

import numpy as np
import pytest

import haptos
from conftest import small_scene

viser = pytest.importorskip("viser")

from haptos.view import web_guard  # noqa: E402


@pytest.fixture(scope="module")
def page():
    """A page on a small press, and what its Sim does undisturbed."""
    before, web_guard.OPEN_SECONDS = web_guard.OPEN_SECONDS, 0.5
    sim = small_scene(depth=0.2e-3, steps=40).compile()
    with haptos.Viewer(sim, port=18200) as viewer:
        yield viewer
    web_guard.OPEN_SECONDS = before


def connect(viewer):
    s = socket.create_connection(("127.0.0.1", viewer._server.get_port()), timeout=10)
    return s


def answer(s):
    """All that comes until the other side closes."""
    out = b""
    with contextlib.suppress(ConnectionError):
        while chunk := s.recv(1 << 16):
            out += chunk
    return out


def get(viewer, path, host="127.0.0.1", method="GET", **headers):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}",
             *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items()), "", ""]
    with connect(viewer) as s:
        s.sendall("\r\n".join(lines).encode())
        return answer(s)


SOCKET = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13",
          "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
          "Sec_WebSocket_Protocol": f"viser-v{viser.__version__}"}


def test_only_this_machine_hears(page):
    port = page._server.get_port()
    with open("/proc/net/tcp") as f, open("/proc/net/tcp6") as g:
        listens = [row.split()[1] for row in (*f, *g) if row.split()[3] == "0A"
                   and row.split()[1].endswith(f":{port:04X}")]
    assert listens == [f"0100007F:{port:04X}"] and page.is_private
    assert web_guard.is_loopback("::1") and not web_guard.is_loopback("0.0.0.0")


def test_the_page_opens_by_its_address_alone(page):
    key = page.guard.key
    assert len(key) >= 20
    found = get(page, f"/{key}/")
    assert found.startswith(b"HTTP/1.1 200") and b"<html" in found.lower()
    head = found.partition(b"\r\n\r\n")[0].lower()
    for words in (b"referrer-policy: no-referrer", b"frame-ancestors 'none'", b"nosniff",
                  b"cache-control: no-store"):
        assert words in head
    for path in ("/", "/index.html", f"/{key}x/", f"/{key[:-1]}/", f"/x/{key}/", "/?" + key):
        assert get(page, path).startswith(b"HTTP/1.1 404"), path
    assert get(page, "/", **SOCKET).startswith(b"HTTP/1.1 404")


@pytest.mark.parametrize("inner", [
    "../../etc/passwd", "../../../../../../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd",
    "..%2f..%2fetc/passwd", "..\\..\\etc\\passwd", "/etc/passwd", "%00", "client/../../_viser.py"])
def test_no_path_leads_out(page, inner):
    for path in (f"/{page.guard.key}/{inner}", f"/{inner}"):
        found = get(page, path)
        assert b"root:" not in found and b"import" not in found
        assert not found.startswith(b"HTTP/1.1 200")


def test_other_hosts_and_sites_are_refused(page):
    path = f"/{page.guard.key}/"
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1",
                 "10.0.0.5"):
        found = get(page, path, host=host)
        assert found.startswith((b"HTTP/1.1 403", b"HTTP/1.1 400")), host
    for host in ("localhost:9999", "127.0.0.1", "[::1]:80"):  # as through a tunnel
        assert get(page, path, host=host).startswith(b"HTTP/1.1 200"), host
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"):
        found = get(page, path, Origin=origin, **SOCKET)
        assert found.startswith(b"HTTP/1.1 403"), origin
    guard = web_guard.Guard("0.0.0.0")
    assert guard.allows_host("192.0.2.7:8080") and not guard.allows_host("evil.example")


def test_bodies_methods_and_noise_are_closed(page):
    path = f"/{page.guard.key}/"
    began = time.monotonic()
    for found in (get(page, path, Content_Length="2147483648"),
                  get(page, path, method="POST", Content_Length="2147483648"),
                  get(page, path, method="PUT"),
                  get(page, path, Transfer_Encoding="chunked"),
                  get(page, "/" + "a" * 100_000), get(page, path, X="y" * 100_000)):
        assert not found.startswith(b"HTTP/1.1 200")
    with connect(page) as s:
        with contextlib.suppress(ConnectionError):
            s.sendall(bytes(range(256)) * 4096)
        assert not answer(s).startswith(b"HTTP/1.1 200")
    with connect(page) as s:  # a body that never ends
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        with contextlib.suppress(ConnectionError):
            for _ in range(100):
                s.sendall(b"x" * 65536)
        with contextlib.suppress(ConnectionError):
            answer(s)
    assert time.monotonic() - began < 20


def test_who_is_slow_is_closed(page):
    with connect(page) as s:
        began = time.monotonic()
        s.sendall(b"GET / HTTP/1.1\r\n")
        answer(s)
        assert time.monotonic() - began < 5


def websocket(page):
    s = connect(page)
    lines = [f"GET /{page.guard.key} HTTP/1.1", "Host: 127.0.0.1",
             *(f"{k.replace('_', '-')}: {v}" for k, v in SOCKET.items()), "", ""]
    s.sendall("\r\n".join(lines).encode())
    assert s.recv(12) == b"HTTP/1.1 101"
    return s


@pytest.mark.parametrize("frame", [
    b"\x82\xff" + (2**63).to_bytes(8, "big") + b"\0\0\0\0",  # longer than there may be
    b"\x82\xff" + (2**62).to_bytes(8, "big") + b"\0\0\0\0",
    b"\x82\xff" + (web_guard.MAX_MESSAGE + 1).to_bytes(8, "big") + b"\0\0\0\0",
    b"\x82\x05hello",  # not masked
    b"\xf2\x80\0\0\0\0",  # bits that mean nothing
    b"\x82\x85\0\0\0\0\xff\xff\xff\xff\xff",  # no message of viser
    b"\x81\x82\0\0\0\0hi"])
def test_a_bad_frame_closes_its_page_alone(page, frame):
    with websocket(page) as s:
        s.sendall(frame)
        s.settimeout(10)
        answer(s)
    end = time.monotonic() + 5
    while page.guard.pages and time.monotonic() < end:
        time.sleep(0.05)
    assert page.guard.pages == 0
    assert get(page, f"/{page.guard.key}/").startswith(b"HTTP/1.1 200")


def test_a_page_cannot_ask_for_a_tunnel_to_the_world(page):
    from viser import _messages

    handlers = page._server._websock_server._incoming_handlers
    assert _messages.ShareUrlRequest not in handlers


def test_a_thousand_connections_are_too_many_and_the_simulation_goes_on(page):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    want = 1500
    if hard != resource.RLIM_INFINITY and hard < want:
        pytest.skip(f"this process may open {hard} files, {want} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, want), hard))
    alone = small_scene(depth=0.2e-3, steps=40).compile()
    page.sim.reset()
    sockets = []
    try:
        for k in range(1000):
            sockets.append(connect(page))
            if k % 400 == 0:
                page.sim.step()
                page.update()
                alone.step()
        end = time.monotonic() + 10
        while page.guard.connections > web_guard.MAX_CONNECTIONS and time.monotonic() < end:
            time.sleep(0.05)
        assert page.guard.connections <= web_guard.MAX_CONNECTIONS
        page.sim.step()
        alone.step()
        np.testing.assert_array_equal(page.sim.positions("gel"), alone.positions("gel"))
    finally:
        for s in sockets:
            s.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    end = time.monotonic() + 10
    while page.guard.connections and time.monotonic() < end:
        time.sleep(0.05)
    assert get(page, f"/{page.guard.key}/").startswith(b"HTTP/1.1 200")


def test_idle_connections_without_the_key_do_not_keep_the_owner_out(page):
    with contextlib.ExitStack() as stack:
        idle = [stack.enter_context(connect(page)) for _ in range(web_guard.MAX_CONNECTIONS)]
        assert get(page, f"/{page.guard.key}/").startswith(b"HTTP/1.1 200")
        for s in idle[:8]:  # the oldest made room
            s.settimeout(5)
            assert answer(s) == b""


def test_so_many_pages_and_no_more(page):
    pages = [websocket(page) for _ in range(web_guard.MAX_PAGES)]
    try:
        assert get(page, f"/{page.guard.key}", **SOCKET).startswith(b"HTTP/1.1 503")
    finally:
        for s in pages:
            s.close()


def test_ports_that_are_taken_are_passed_over():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        taken = s.getsockname()[1]
        assert web_guard.free_port("127.0.0.1", taken) > taken
    assert web_guard.free_port("127.0.0.1", 0) > 0
    for host, port in (("127.0.0.1", -1), ("127.0.0.1", 65536), ("no.such.host.invalid", 80),
                       ("192.0.2.1", 8080)):
        with pytest.raises(haptos.InputError):
            web_guard.free_port(host, port)
