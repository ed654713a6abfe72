"""The studio over real sockets of 127.0.0.1: who is answered, what is refused, and that its release is the command line's."""

import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import pytest

from conftest import BINARY, run

ROUTES = json.loads(subprocess.run([BINARY, "studio", "--list-routes"], capture_output=True, check=True).stdout)


class Studio:
    """A running studio, and a tab that has its bearer."""

    def __init__(self, folder, *flags):
        self.process = subprocess.Popen(
            [BINARY, "studio", folder, "--no-browser", "--json", *flags], stdout=subprocess.PIPE, text=True
        )
        self.link = json.loads(self.process.stdout.readline())["link"]
        self.port = int(re.search(r"^http://127\.0\.0\.1:(\d+)/#", self.link)[1])
        self.folder = pathlib.Path(folder)
        self.bearer = self.ask("POST", "/api/session", {"link": self.link.split("#")[1]}, bearer=None)[1]["bearer"]

    def send(self, method, path, headers, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders()
        if body is not None:
            connection.send(body)
        return connection.getresponse()

    def good_headers(self, route, body):
        headers = {"Host": f"127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}
        if not route["open"]:
            headers["Authorization"] = f"Bearer {self.bearer}"
        if route["most_body"]:
            headers |= {
                "Origin": f"http://127.0.0.1:{self.port}",
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
            }
        return headers

    def ask(self, method, path, request=None, bearer="own"):
        route = {"open": bearer is None, "most_body": request is not None}
        body = json.dumps(request).encode() if request is not None else None
        answer = self.send(method, path, self.good_headers(route, body or b"").items(), body)
        return answer.status, json.loads(answer.read())

    def job(self, kind, **request):
        status, job = self.ask("POST", "/api/jobs", {"kind": kind, **request})
        if status != 200:
            return job
        while (job := self.ask("GET", f"/api/jobs/{job['id']}")[1])["state"] in ("queued", "running"):
            time.sleep(0.05)
        return job

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


@contextlib.contextmanager
def studio(folder, *flags):
    one = Studio(folder, *flags)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            assert one.end() == 0


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studio")
    (folder.parent / f"{folder.name}-secret.csv").write_text("id,age,x\n1,30,7\n")
    with studio(folder) as one:
        yield one


def path_of(route):
    return route["path"].replace("{}", "1")


def every(test):
    return pytest.mark.parametrize("route", ROUTES, ids=[f"{route['method']} {route['path']}" for route in ROUTES])(
        test
    )


def broken(shared, route, change, method=None, path=None, body=b"{}"):
    headers = shared.good_headers(route, body if route["most_body"] else b"")
    for name, value in change.items():
        headers[name] = value
    sent = body if route["most_body"] else None
    return shared.send(
        method or route["method"],
        path or path_of(route),
        [(name, value) for name, value in headers.items() if value is not None],
        sent,
    ).status


# --- the gate


def test_the_routes_are_those_that_these_tests_were_written_for():
    assert [f"{route['method']} {route['path']}" for route in ROUTES] == [
        "GET /",
        "GET /studio.js",
        "GET /studio.css",
        "POST /api/session",
        "POST /api/link",
        "GET /api/state",
        "GET /api/settings",
        "POST /api/spec",
        "POST /api/limits",
        "POST /api/jobs",
        "GET /api/jobs/{}",
        "POST /api/jobs/{}/cancel",
        "GET /api/events",
        "GET /api/file",
    ]


@every
def test_a_good_request_is_answered(shared, route):
    expected = {
        "POST /api/session": 422,
        "POST /api/spec": 422,
        "POST /api/limits": 422,
        "POST /api/jobs": 422,
        "GET /api/file": 422,
    }
    expected |= {"GET /api/jobs/{}": 422, "POST /api/jobs/{}/cancel": 422}  # there is no such job, no such file
    assert broken(shared, route, {}) == expected.get(f"{route['method']} {route['path']}", 200)


@every
def test_without_a_bearer_nothing_but_the_page_is_answered(shared, route):
    for bearer in (None, "Bearer " + "0" * 64, f"Basic {shared.bearer}"):
        status = broken(shared, route, {"Authorization": bearer})
        assert (status == 401) != route["open"], status


@every
def test_another_host_is_refused(shared, route):
    for host in ("example.org", f"example.org:{shared.port}", "127.0.0.1", f"127.0.0.1:{shared.port + 1}"):
        assert broken(shared, route, {"Host": host}) == 403


@every
def test_another_origin_is_refused(shared, route):
    for origin in ("http://example.org", "null", f"https://127.0.0.1:{shared.port}"):
        assert broken(shared, route, {"Origin": origin}) == 403


@every
def test_another_site_is_refused(shared, route):
    for site in ("cross-site", "same-site"):
        assert broken(shared, route, {"Sec-Fetch-Site": site}) == 403


@every
def test_another_method_is_refused(shared, route):
    for method in ("PUT", "DELETE", "OPTIONS", "GET" if route["method"] == "POST" else "POST"):
        change = {"Origin": f"http://127.0.0.1:{shared.port}"}
        other = [one for one in ROUTES if one["method"] == method and path_of(one) == path_of(route)]
        if not other:
            assert broken(shared, route, change, method=method) == 405


@every
def test_a_body_that_is_too_large_is_refused(shared, route):
    announced = {"Content-Length": str(route["most_body"] + 1)}
    assert broken(shared, route, announced) == 413


@every
def test_a_body_in_pieces_has_the_same_limit(shared, route):
    headers = shared.good_headers(route, b"")
    headers.pop("Content-Length", None)
    headers["Transfer-Encoding"] = "chunked"
    size = route["most_body"] + 1000
    body = b"%x\r\n" % size + b" " * size + b"\r\n0\r\n\r\n"
    try:
        assert shared.send(route["method"], path_of(route), headers.items(), body).status == 413
    except (BrokenPipeError, ConnectionResetError):
        pass  # the server closed before all was sent


def test_what_the_server_says_keeps_other_pages_out(shared):
    for path in ("/", "/studio.js", "/studio.css"):
        answer = shared.send("GET", path, [("Host", f"127.0.0.1:{shared.port}")])
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'self';") and "frame-ancestors 'none'" in policy
        assert "unsafe-inline" not in policy.replace("style-src-attr 'unsafe-inline'", "")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Set-Cookie" not in answer.headers and "Access-Control-Allow-Origin" not in answer.headers
        assert (
            b"://" not in re.sub(rb"http://www\.w3\.org/\S*|https?://[^\"'\s)]*", b"", answer.read())
            or path == "/studio.js"
        )


def test_a_link_works_once_and_a_tab_can_ask_for_another(shared):
    assert shared.ask("POST", "/api/session", {"link": shared.link.split("#")[1]}, bearer=None)[0] == 403
    link = shared.ask("POST", "/api/link", {})[1]["link"]
    assert shared.ask("POST", "/api/session", {"link": link}, bearer=None)[0] == 200
    assert shared.ask("POST", "/api/session", {"link": link}, bearer=None)[0] == 403


def test_it_listens_on_this_machine_only(shared):
    listening = [
        line.split()
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        for line in pathlib.Path(table).read_text().splitlines()[1:]
        if line.split()[1].endswith(f":{shared.port:04X}") and line.split()[3] == "0A"
    ]
    assert [line[1] for line in listening] == [f"0100007F:{shared.port:04X}"]


def test_a_slow_request_is_cut_off_and_others_are_answered_meanwhile(shared):
    with socket.create_connection(("127.0.0.1", shared.port)) as slow:
        slow.sendall(b"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1")
        begun = time.monotonic()
        assert shared.ask("GET", "/api/state")[0] == 200
        slow.settimeout(30)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() - begun < 30:
                slow.settimeout(1)
                with contextlib.suppress(TimeoutError):
                    if slow.recv(100) == b"":
                        break
                slow.sendall(b"x")  # a letter a second does not keep it open
        assert 5 < time.monotonic() - begun < 20


def test_too_many_connections_do_not_end_it(shared):
    open_ones = [socket.create_connection(("127.0.0.1", shared.port)) for _ in range(100)]
    for one in open_ones:
        one.close()
    for _ in range(50):
        with contextlib.suppress(ConnectionError, http.client.HTTPException):
            if shared.ask("GET", "/api/state")[0] == 200:
                return
        time.sleep(0.1)
    pytest.fail("it did not recover")


@pytest.mark.parametrize(
    "sent",
    [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"A" * 70_000,
        b"\0" * 100,
    ],
)
def test_what_is_no_request_ends_the_connection_only(shared, sent):
    with socket.create_connection(("127.0.0.1", shared.port), timeout=15) as other, contextlib.suppress(OSError):
        other.sendall(sent)
        other.shutdown(socket.SHUT_WR)
        other.recv(1000)
    assert shared.ask("GET", "/api/state")[0] == 200


# --- files


def test_files_outside_are_not_handed_out(shared):
    (shared.folder / "spec-1.toml").write_text("")
    (shared.folder / "release-1").mkdir(exist_ok=True)
    secret = f"../{shared.folder.name}-secret.csv"
    (shared.folder / "release-1" / "link.csv").symlink_to(f"../{secret}")
    (shared.folder / "mechanism-1.json").write_text("{}")
    for name in (
        secret,
        f"release-1/../{secret}",
        "release-1/link.csv",
        "release-1/..",
        "/etc/passwd",
        "mechanism-1.json",
        ".hyobscure-studio/lock",
        "",
    ):
        status, answer = shared.ask("GET", f"/api/file?name={name}")
        assert status == 422 and answer["error"]["remedy"], name
    (shared.folder / "release-1" / "link.csv").unlink()
    (shared.folder / "spec-1.toml").unlink()


@pytest.mark.parametrize(
    "source",
    [
        "query = \"SELECT * FROM read_csv('{secret}')\"",
        "query = \"SELECT * FROM read_csv('link-to-secret.csv')\"",
        'file = "{secret}"',
        'file = "../*.csv"',
        'file = "link-to-secret.csv"',
    ],
)
def test_a_spec_reads_nothing_outside(shared, source):
    secret = shared.folder.parent / f"{shared.folder.name}-secret.csv"
    link = shared.folder / "link-to-secret.csv"
    if "link" in source:
        link.symlink_to(secret)
    toml = f'[people]\n{source.format(secret=secret)}\nid = "id"\nsecret = "age"\nfeatures = ["x"]\n'
    found = shared.job("inspect", toml=toml, runs_queries=True)
    link.unlink(missing_ok=True)
    error = found["error"]
    assert error and "30" not in json.dumps(error)
    assert "outside" in error["problem"] or "may not be read" in error["problem"], error


def test_sql_of_a_spec_asks_before_it_runs(shared):
    toml = '[people]\nquery = "SELECT 1 AS id, 2 AS age, 3 AS x"\nid = "id"\nsecret = "age"\nfeatures = ["x"]\n'
    assert shared.ask("POST", "/api/spec", {"toml": toml})[1]["queries"] is True
    refused = shared.job("inspect", toml=toml)
    assert refused["error"]["problem"] == "this spec runs SQL of its own"


# --- the work


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("work")
    with studio(folder) as one:
        assert one.job("synth", shape="ratings", people=200, items=60, entries=15)["state"] == "done"
        start = one.job(
            "start", people="made-up-ratings/people.csv", events="made-up-ratings/events.csv", care="careful"
        )
        toml = start["result"]["toml"]
        results = {kind: one.job(kind, toml=toml) for kind in ("inspect", "fit")}
        results["publish"] = one.job("publish", toml=toml, accept_leakage=True)
        yield one, toml, results


def hashes(folder):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(pathlib.Path(folder).iterdir())}


def test_the_release_is_that_of_the_command_line_byte_for_byte(published, tmp_path):
    one, toml, results = published
    assert results["publish"]["state"] == "done", results["publish"]["error"]
    assert results["publish"]["result"]["verification"]["passed"] is True
    assert (one.folder / "spec-1.toml").read_text() == toml
    done = run(
        "publish",
        one.folder / "spec-1.toml",
        "-m",
        one.folder / "mechanism-1.json",
        "-o",
        tmp_path / "again",
        "--accept-leakage",
    )
    assert done.code == 0, done.err
    assert hashes(tmp_path / "again") == hashes(one.folder / "release-1")


def test_what_is_private_is_for_its_owner_only(published):
    one, _, _ = published
    for name in ("mechanism-1.json", "report-1.html", ".hyobscure-studio/jobs/000001.json"):
        assert (one.folder / name).stat().st_mode & 0o077 == 0, name
    assert (one.folder / ".hyobscure-studio").stat().st_mode & 0o077 == 0


def test_the_limits_are_looked_at_without_reading_the_people_again(published):
    one, toml, results = published
    good = one.ask("POST", "/api/limits", {"toml": toml})[1]
    assert good["known"] and sum(group["people"] for group in good["groups"]) == results["inspect"]["result"]["people"]
    hard = one.ask("POST", "/api/spec", {"toml": toml, "set": {"groups.people": "190,195"}})[1]["toml"]
    bad = one.ask("POST", "/api/limits", {"toml": hard})[1]
    assert bad["known"] and bad["error"]["remedy"]
    other = one.ask("POST", "/api/spec", {"toml": toml, "set": {"secret.keep": "[20, 40]"}})[1]["toml"]
    assert one.ask("POST", "/api/limits", {"toml": other})[1] == {"known": False}


def test_a_key_is_set_and_taken_away(published):
    one, toml, _ = published
    with_cap = one.ask("POST", "/api/spec", {"toml": toml, "set": {"channel.max_lift": "2", "method.name": "exact"}})[1]
    assert with_cap["values"]["channel.max_lift"] == "2" and with_cap["version"] is None
    without = one.ask("POST", "/api/spec", {"toml": with_cap["toml"], "set": {"channel.max_lift": None}})[1]
    assert "channel.max_lift" not in without["values"] and without["values"]["method.name"] == '"exact"'
    wrong = one.ask("POST", "/api/spec", {"toml": toml, "set": {"groups.count": "many"}})
    assert wrong[0] == 422 and wrong[1]["error"]["remedy"]


def test_a_spec_of_the_folder_is_taken_and_none_of_elsewhere(published):
    one, toml, _ = published
    (one.folder / "mine.toml").write_text(toml)
    assert one.ask("POST", "/api/spec", {"file": "mine.toml"})[1]["version"] == 1
    for name in ("made-up-ratings/spec.toml", "../mine.toml", "/etc/passwd", "spec-1.toml"):
        assert one.ask("POST", "/api/spec", {"file": name})[0] == 422
    (one.folder / "mine.toml").unlink()


def test_a_version_is_computed_once(published):
    one, toml, _ = published
    again = one.job("fit", toml=toml)
    assert again["state"] == "failed" and "mechanism-1.json" in again["error"]["source"]


def test_files_of_a_release_are_handed_out(published):
    one, _, results = published
    for name in results["publish"]["result"]["names"]:
        headers = one.good_headers({"open": False, "most_body": 0}, b"").items()
        answer = one.send("GET", f"/api/file?name=release-1/{name}", headers)
        assert answer.status == 200 and answer.read() == (one.folder / "release-1" / name).read_bytes()
        assert answer.headers["Content-Disposition"] == "attachment"


def test_changes_are_told_as_they_happen(published):
    one, toml, _ = published
    answer = one.send("GET", "/api/events", one.good_headers({"open": False, "most_body": 0}, b"").items())
    assert answer.headers["Content-Type"] == "text/event-stream"
    job = one.job("inspect", toml=toml)
    seen = []
    while not seen or seen[-1]["state"] != "done":
        line = answer.readline()
        if line.startswith(b"data: "):
            seen.append(json.loads(line[6:]))
    assert {event["id"] for event in seen} == {job["id"]} and "result" not in seen[-1]


def test_a_second_studio_of_the_folder_is_refused_with_the_address_of_the_first(published):
    one, _, _ = published
    second = run("studio", one.folder, "--no-browser")
    assert second.code == 2 and f"http://127.0.0.1:{one.port}/" in second.err


def test_a_killed_studio_leaves_nothing_half_done_and_says_what_ended(tmp_path):
    with studio(tmp_path) as one:
        one.job("synth", shape="ratings", people=3000, items=300, entries=40)
        toml = one.job("start", people="made-up-ratings/people.csv", events="made-up-ratings/events.csv")["result"][
            "toml"
        ]
        job = one.ask("POST", "/api/jobs", {"kind": "fit", "toml": toml})[1]
        while one.ask("GET", f"/api/jobs/{job['id']}")[1]["state"] == "queued":
            time.sleep(0.02)
        time.sleep(0.5)
        one.process.send_signal(signal.SIGKILL)
        one.process.wait()
    assert not (tmp_path / "mechanism-1.json").exists()
    with studio(tmp_path) as one:
        assert one.ask("GET", f"/api/jobs/{job['id']}")[1]["state"] == "ended"
        cancelled = one.ask("POST", "/api/jobs", {"kind": "fit", "version": 1})[1]
        while one.ask("GET", f"/api/jobs/{cancelled['id']}")[1]["state"] == "queued":
            time.sleep(0.02)
        one.ask("POST", f"/api/jobs/{cancelled['id']}/cancel", {})
        while (state := one.ask("GET", f"/api/jobs/{cancelled['id']}")[1]["state"]) == "running":
            time.sleep(0.05)
        assert state == "cancelled" and not (tmp_path / "mechanism-1.json").exists()
        assert [name for name in os.listdir(tmp_path) if name.startswith(".") and name != ".hyobscure-studio"] == []


def test_it_ends_by_itself_when_nobody_needs_it(tmp_path):
    with studio(tmp_path, "--idle-minutes", "0.01") as one:
        assert one.process.wait(20) == 0


def test_a_port_that_is_taken_is_told(tmp_path, shared):
    done = run("studio", tmp_path, "--no-browser", "--port", shared.port)
    assert done.code == 2 and str(shared.port) in done.err
