"""Drives Chromium through a chromedriver that is running, or Firefox itself: the W3C protocol as far as tests and benchmarks need it."""
import json
import socket
import time
import urllib.request

FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage")

def ok(what, good, seen=""):
    """A result of a test, for browser_results() of browser.sh."""
    print("%sok - %s" % ("" if good else "not ", what) + ("" if good else "\n#   %r" % (seen,)))

class Browser:
    """session: the path of the browser's requests. more: members of alwaysMatch besides the options of Chromium."""

    def __init__(self, port, size="1200,900", timeout=120, flags=(), **more):
        self.driver, self.timeout = "http://127.0.0.1:%s" % port, timeout
        options = {"args": [*FLAGS, "--window-size=" + size, *flags]}
        match = {"goog:chromeOptions": options, **more}
        self.session = "/session/" + self.call("POST", "/session", capabilities={"alwaysMatch": match})["sessionId"]

    def call(self, method, path, **body):
        data = json.dumps(body).encode() if method == "POST" else None
        r = urllib.request.Request(self.driver + path, data=data, method=method, headers={"Content-Type": "application/json"})
        return json.load(urllib.request.urlopen(r, timeout=self.timeout))["value"]

    def script(self, text, *args):
        return self.call("POST", self.session + "/execute/sync", script=text, args=list(args))

    def text(self, selector):
        """Nothing, too, where the page is being loaded: Firefox answers with null."""
        return self.script("const e = document.querySelector(arguments[0]); return e ? e.textContent : ''", selector) or ""

    def until(self, what, condition, seconds=90):
        """What a condition returns once it is true; a test has failed, with what the page shows, if it does not become true."""
        end = time.time() + seconds
        while time.time() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.1)
        ok("waited for: " + what, False, [self.text(x) for x in ("#status", "#trials-count", "#command", "#report")])
        return None

    def key(self, k):
        self.call("POST", self.session + "/actions", actions=[
            {"type": "key", "id": "k", "actions": [{"type": "keyDown", "value": k}, {"type": "keyUp", "value": k}]}])

class Firefox(Browser):
    """A Firefox that was started with --marionette: the same commands by other names, over its own socket."""

    NAMES = {"GET/url": "GetCurrentURL", "POST/url": "Navigate", "POST/refresh": "Refresh", "POST/actions": "PerformActions",
             "POST/execute/sync": "ExecuteScript", "POST/execute/async": "ExecuteAsyncScript", "POST/timeouts": "SetTimeouts",
             "GET/screenshot": "TakeScreenshot", "DELETE": "DeleteSession"}

    def __init__(self, port, timeout=120):
        self.session, self.number = "", 0
        self.socket = socket.create_connection(("127.0.0.1", int(port)), timeout)
        self.received()
        self.command("NewSession")
        self.command("SetWindowRect", width=1200, height=900)

    def received(self):
        """The next message: its length, a colon, JSON."""
        length = b""
        while not length.endswith(b":"):
            length += self.some(1)
        return json.loads(self.some(int(length[:-1])))

    def some(self, n):
        data = b""
        while len(data) < n:
            more = self.socket.recv(n - len(data))
            if not more:
                raise EOFError("Firefox has ended")
            data += more
        return data

    def command(self, name, **body):
        self.number += 1
        data = json.dumps([0, self.number, "WebDriver:" + name, body]).encode()
        self.socket.sendall(b"%d:%s" % (len(data), data))
        error, result = self.received()[2:]
        if error:
            raise RuntimeError("%s: %s" % (name, error["message"]))
        return result.get("value") if result else None

    def call(self, method, path, **body):
        return self.command(self.NAMES[method + path], **body)
