"""A browser that does what people do: Chromium, told what to do over a pipe (its DevTools protocol)."""

import base64
import json
import os
import select
import subprocess
import tempfile
import time

KEYS = {
    "ArrowLeft": 37, "ArrowRight": 39, "Enter": 13, "Tab": 9, " ": 32, "-": 189, "+": 187,
}


class Browser:
    """Chromium with one page. Use as `with Browser("chromium") as page:`."""

    def __init__(self, program):
        self.home = tempfile.TemporaryDirectory(prefix="awari-browser-", ignore_cleanup_errors=True)
        to_browser, self.write_to = os.pipe()
        self.read_from, from_browser = os.pipe()

        def pipes():
            # The browser reads what it should do from 3 and answers to 4. Copies out of the way first.
            first, second = os.dup(to_browser), os.dup(from_browser)
            high = [os.dup2(first, 60), os.dup2(second, 61)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--disable-extensions", "--hide-scrollbars",
             "--force-prefers-reduced-motion", f"--user-data-dir={self.home.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        self.problems = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"]:
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_to)
        os.close(self.read_from)
        self.home.cleanup()

    # The protocol: JSON objects that end with a zero byte.

    def _message(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_from], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            more = os.read(self.read_from, 1 << 16)
            if not more:
                raise EOFError("the browser has ended")
            self.buffer += more
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        """Keeps what a page must not do: errors of scripts, of the console, of the policy of contents."""
        params = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.problems.append(f'{params["entry"]["text"]} {params["entry"].get("url", "")}')
        elif event.get("method") == "Network.requestWillBeSent":
            self.events.append(params["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + 60
        while True:
            answer = self._message(until)
            if answer.get("id") != self.number:
                self._note(answer)
            elif "error" in answer:
                raise RuntimeError(f'{method}: {answer["error"]}')
            else:
                return answer["result"]

    # What a person sees.

    def js(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def wait(self, expression, what=None):
        """Waits until an expression is true; returns its value."""
        until = time.monotonic() + 60
        while True:
            # Elements have no value that can be sent.
            value = self.js(f"((found) => found instanceof Node ? true : found)({expression})")
            if value:
                return value
            if time.monotonic() > until:
                raise TimeoutError(f"never came: {what or expression}; problems: {self.problems}")
            time.sleep(0.03)

    def text(self, selector):
        return self.js(f"document.querySelector({json.dumps(selector)})?.textContent")

    def open(self, url):
        # Another part of the same address alone would not load the page again.
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def size(self, width, height, dark=False, phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path, scale=1):
        content = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": content["width"], "height": content["height"], "scale": scale}
        options = {"format": "png", "captureBeyondViewport": True, "clip": clip}
        data = self.call("Page.captureScreenshot", **options)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    # What a person does.

    def click(self, selector, shift=False):
        """Clicks where an element is, so that whatever covers it gets the click."""
        place = self.js(f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            element.scrollIntoView({{ block: "center" }});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()""")
        assert place, f"there is no {selector}"
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"]:
            button = {"button": "none"} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], modifiers=8 if shift else 0, **button)

    def hover(self, selector):
        box = self.js(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{ block: 'center' }});"
                      " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1], button="none")

    def key(self, name, shift=False):
        code = KEYS.get(name) or ord(name.upper())
        text = {"text": "\r" if name == "Enter" else name} if len(name) == 1 or name == "Enter" else {}
        common = {"key": name, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, selector, text):
        """Replaces what is in a field."""
        self.js(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.focus(); e.select(); }})()")
        self.call("Input.insertText", text=text)

    def choose(self, selector, value):
        """Chooses from a list, as the keyboard would."""
        self.js(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
                " e.dispatchEvent(new Event('change', { bubbles: true })); })()")

    def names(self):
        """Role and name of all that a screen reader is told of."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        shown = [node for node in nodes if not node.get("ignored")]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in shown]
