"""Drives Chromium through a chromedriver that is running: the W3C protocol as far as tests and benchmarks need it."""
import json
import urllib.request

FLAGS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage")

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
