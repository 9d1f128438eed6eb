#!/usr/bin/env python3
"""The page of `awari serve` in a real browser: what it shows beside what the program says, and what
clicks, keys and pasted texts do.

    tests/browser/page.py PROGRAM [--pictures DIR] [--browser CHROMIUM] [TEST...]

Needs Python 3 and Chromium (scripts/install-browser), and builds the tables it shows in a directory of
its own."""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.parse
import urllib.request

from browser import Browser

BOARD = "0 1 0 2 1 1 / 1 0 2 1 2 1"
READY = "document.body.dataset.state === 'ready'"
# What the page calls names of another minus sign.
MINUS = "\u2212"


class Awari:
    """The program, its tables, and its server."""

    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.dir = tempfile.TemporaryDirectory(prefix="awari-tables-")
        self.run("build", "--stones", "12", "--depth")
        self.run("build", "--stones", "8", "--rules", "abapa")
        self.server = subprocess.Popen([self.program, "--dir", self.dir.name, "serve", "--bind", "127.0.0.1:0"],
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.server.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.address

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.terminate()
        code = self.server.wait(20)
        self.dir.cleanup()
        assert code == 0, f"the server ended with {code}"

    def run(self, *arguments):
        done = subprocess.run([self.program, "--dir", self.dir.name, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def probe(self, board, rules="awari"):
        return json.loads(self.run("probe", "--json", "--rules", rules, board))

    def line(self, board):
        return json.loads(self.run("line", "--json", board))

    def link(self, board=BOARD, rules="awari", **more):
        return f"{self.address}#{urllib.parse.urlencode({'board': board, 'rules': rules, **more})}"


def show(page, awari, board=BOARD, **more):
    page.open(awari.link(board, **more))
    page.wait(READY)


def count(page):
    return page.js("document.querySelectorAll('#history li').length")


def after(page, moves):
    page.wait(f"{READY} && document.querySelectorAll('#history li').length === {moves}")


def position(page):
    return page.js("document.querySelector('#position').value")


def text_of(pits):
    return " / ".join(" ".join(map(str, half)) for half in (pits[:6], pits[6:]))


def number(text):
    return int(text.replace(MINUS, "-").replace("+", ""))


def compare(page, said, south=True):
    """What the board, the table of moves and the verdict show is what the program says."""
    letters = "ABCDEF" if south else "abcdef"
    other = "abcdef" if south else "ABCDEF"
    for pit in range(6):
        for name, at in ((letters[pit], pit), (other[pit], pit + 6)):
            drawn = page.js(f"(() => {{ const p = document.querySelector('[data-pit=\"{name}\"]');"
                            " return [p.querySelector('.count').textContent, p.querySelectorAll('.stone').length]; })()")
            assert drawn == [str(said["board"][at]), said["board"][at]], (name, drawn, said["board"])
    value = page.js("document.querySelector('#verdict strong').textContent")
    assert number(value.split()[1]) == said["value"], (value, said["value"])
    word = "win" if said["value"] > 0 else "loss" if said["value"] < 0 else "draw"
    assert f"A {word} for {'South' if south else 'North'}" in page.text("#verdict")
    settle = re.search(r"that is (\S+) for", page.text("#settle")).group(1)
    assert number(settle) == said["settle"], settle
    badges = page.js("Object.fromEntries([...document.querySelectorAll('.pit')].filter((p) => p.querySelector('.badge'))"
                     ".map((p) => [p.dataset.pit, p.querySelector('.worth').textContent + '|' + [...p.querySelectorAll('.more')].map((m) => m.textContent).join(', ')]))")
    assert set(badges) == {letters["ABCDEF".index(move["pit"])] for move in said["moves"]}, badges
    for move in said["moves"]:
        name = letters["ABCDEF".index(move["pit"])]
        worth, more = badges[name].split("|")
        assert number(worth.split()[1]) == move["value"], (name, worth, move)
        # A shape says win, draw or loss as the colour does.
        assert worth[0] == ("▲" if move["value"] > 0 else "▼" if move["value"] < 0 else "◆"), worth
        assert (f"takes {move['captured']}" in more) == (move["captured"] > 0), (name, more, move)
        label = page.js(f"document.querySelector('[data-pit=\"{name}\"]').getAttribute('aria-label')")
        assert worth.split()[1].replace(MINUS, "") in label.replace(MINUS, ""), label
    rows = page.js("[...document.querySelectorAll('#moves tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
    assert len(rows) == len(said["moves"])
    values = [number(row[2]) for row in rows]
    assert values == sorted(values, reverse=True), values


def values_are_those_of_the_program(page, awari):
    boards = [BOARD, "0 0 1 0 0 2 / 1 2 0 0 1 0", "1 2 1 0 0 0 / 1 2 0 3 2 0", "0 0 0 0 0 1 / 1 0 0 0 0 0", "2 0 0 3 1 0 / 0 1 1 0 2 2"]
    for board in boards:
        show(page, awari, board)
        compare(page, awari.probe(board))
    show(page, awari, boards[1], rules="abapa")
    compare(page, awari.probe(boards[1], "abapa"))
    assert page.js("document.querySelector('#rules').value") == "abapa"
    page.choose("#rules", "awari")
    page.wait(f"{READY} && location.hash.includes('rules=awari')")
    compare(page, awari.probe(boards[1]))


def a_board_is_set_up_by_clicks(page, awari):
    page.open(awari.address)
    page.wait(READY)
    page.click("#setup")
    page.click("#clear")
    page.wait(f"{READY} && document.querySelectorAll('.pit .stone').length === 0")
    wanted = {"C": 1, "F": 2, "a": 1, "b": 2, "e": 1}
    done = 0
    for pit, stones in wanted.items():
        for _ in range(stones):
            page.click(f'[data-pit="{pit}"]')
            done += 1
            page.wait(f"{READY} && document.querySelectorAll('.pit .stone').length === {done}")
    # One too many, and out again: with Shift, and by the button.
    page.click('[data-pit="A"]')
    page.click('[data-pit="A"]')
    page.wait(f"{READY} && document.querySelectorAll('.pit .stone').length === {done + 2}")
    page.click('[data-pit="A"]', shift=True)
    page.wait(f"{READY} && document.querySelectorAll('.pit .stone').length === {done + 1}")
    page.click("#remove")
    page.click('[data-pit="A"]')
    page.click('[data-pit="A"]')
    page.wait(f"{READY} && document.querySelectorAll('.pit .stone').length === {done}")
    page.click("#done")
    page.wait(f"{READY} && document.querySelector('#verdict strong')")
    compare(page, awari.probe("0 0 1 0 0 2 / 1 2 0 0 1 0"))
    # The other side.
    page.click("#setup")
    page.click("#swap")
    page.click("#done")
    page.wait(f"{READY} && document.querySelector('.badge')")
    compare(page, awari.probe("1 2 0 0 1 0 / 0 0 1 0 0 2"), south=False)


def any_notation_is_pasted(page, awari):
    native = "0 0 1 0 0 2 / 1 2 0 0 1 0"
    written = json.load(urllib.request.urlopen(f"{awari.address}api/v1/position?board=0-0-1-0-0-2-1-2-0-0-1-0-21-20-S"))["written"]
    texts = [native, *(written[name] for name in ["auale", "playstrategy", "openspiel", "drawing"])]
    said = awari.probe(native)
    for text in texts:
        page.open(awari.address)
        page.wait(READY)
        page.type("#position", text)
        page.click("#paste button")
        page.wait(f"{READY} && document.querySelector('#verdict strong')?.dataset.value === '{said['value']}'", text)
        compare(page, said)
    # What is none is said, the word named.
    page.type("#position", "4 4 x 4 4 4 / 4 4 4 4 4 4")
    page.key("Enter")
    assert '"x"' in page.wait("document.querySelector('#trouble').textContent")
    page.problems.clear()


def a_line_is_played_to_the_end(page, awari):
    for board in ["0 0 1 0 0 2 / 1 2 0 0 1 0", "0 0 0 0 1 2 / 2 0 0 1 0 0"]:
        show(page, awari, board)
        line = awari.line(board)
        shown = page.js("[...document.querySelectorAll('#line button')].map((b) => b.textContent.split('+')[0]).join('')")
        assert shown == line["moves"], (shown, line["moves"])
        south = True
        for at, ply in enumerate(line["plies"]):
            compare(page, awari.probe(text_of(ply["board"])), south)
            letter = ply["pit"] if south else ply["pit"].lower()
            page.click(f'[data-pit="{letter}"]')
            after(page, at + 1)
            south = not south
        assert position(page) == text_of(line["last"])
        if line["finish"] != "endless-play":
            assert "The game is over" in page.text("#verdict")
            assert page.js("document.querySelectorAll('.badge').length") == 0
        # Nothing was lost on the way.
        assert page.js("document.querySelectorAll('#history .cost').length") == 0
    # By one click on its last move.
    show(page, awari)
    plies = page.js("document.querySelectorAll('#line button').length")
    page.click("#line button:last-of-type")
    after(page, plies)
    assert position(page) == text_of(awari.line(BOARD)["last"])


def moves_are_taken_back_and_redone(page, awari):
    show(page, awari)
    page.click('[data-pit="D"]')
    after(page, 1)
    said = awari.probe(BOARD)
    lost = max(m["value"] for m in said["moves"]) - next(m["value"] for m in said["moves"] if m["pit"] == "D")
    assert page.text("#history .cost") == f"{MINUS}{lost}", page.text("#history .cost")
    there = position(page)
    page.click("#back")
    page.wait(f"{READY} && document.querySelector('#back').disabled")
    assert position(page) == BOARD
    compare(page, said)
    page.click("#redo")
    page.wait(f"{READY} && !document.querySelector('#back').disabled")
    assert position(page) == there
    page.key("ArrowLeft")
    page.wait(f"{READY} && document.querySelector('#back').disabled")
    # Another move forgets the one taken back.
    page.click('[data-pit="F"]')
    page.wait(f"{READY} && document.querySelector('#history li').textContent.includes('F')")
    assert count(page) == 1


def the_board_is_flipped(page, awari):
    show(page, awari)
    place = "(() => { const b = document.querySelector('[data-pit=\"A\"] .rim').getBoundingClientRect(); return [b.x + scrollX, b.y + scrollY].map(Math.round); })()"
    low = page.js(place)
    page.click("#flip")
    high = page.js(place)
    assert high[1] < low[1] and high[0] > low[0], (low, high)
    compare(page, awari.probe(BOARD))
    page.key("x")
    assert page.js(place) == low


def keys_do_what_clicks_do(page, awari):
    show(page, awari)
    # The first stop leads to the board; from there Tab goes from pit to pit.
    page.key("Tab")
    assert page.js("document.activeElement.className") == "skip"
    page.key("Enter")
    seen = [page.js("document.activeElement.dataset.pit")]
    while seen[-1]:
        page.key("Tab")
        seen.append(page.js("document.activeElement.dataset?.pit ?? null"))
    legal = [move["pit"] for move in awari.probe(BOARD)["moves"]]
    assert seen[:-1] == legal, (seen, legal)
    page.js("document.querySelector('[data-pit=\"F\"]').focus()")
    page.key("Enter")
    after(page, 1)
    page.key("ArrowLeft")
    page.wait(f"{READY} && document.querySelector('#back').disabled")
    page.key("ArrowRight")
    page.wait(f"{READY} && !document.querySelector('#back').disabled")
    page.key("ArrowLeft")
    page.wait(f"{READY} && document.querySelector('#back').disabled")
    page.key("b")
    page.wait(f"{READY} && document.querySelector('#history li')?.textContent.includes('B')")
    page.key("ArrowLeft")
    page.wait(f"{READY} && document.querySelector('#back').disabled")
    page.key("6")
    page.wait(f"{READY} && document.querySelector('#history li')?.textContent.includes('F')")
    # Keys typed into a field are text.
    before = count(page)
    page.js("document.querySelector('#position').focus()")
    for name in "abc123x":
        page.key(name)
    assert count(page) == before
    # Set up by keys: focus on a pit, plus and minus.
    page.js("document.querySelector('#position').blur()")
    show(page, awari, "0 0 0 0 1 2 / 2 0 0 1 0 0")
    page.js("document.querySelector('#setup').focus()")
    page.key("Enter")
    page.wait("document.querySelector('#setup').getAttribute('aria-pressed') === 'true'")
    page.js("document.querySelector('[data-pit=\"C\"]').focus()")
    page.key("+")
    page.wait(f"{READY} && document.querySelector('[data-pit=\"C\"]').dataset.count === '1'")
    assert page.js("document.activeElement.dataset.pit") == "C", "the focus is lost"
    page.key("-")
    page.wait(f"{READY} && document.querySelector('[data-pit=\"C\"]').dataset.count === '0'")


def screen_readers_are_told(page, awari):
    show(page, awari)
    names = page.names()
    buttons = [name for role, name in names if role == "button"]
    assert all(name for role, name in names if role in ("button", "textbox", "combobox", "link", "image")), names
    for move in awari.probe(BOARD)["moves"]:
        assert any(name.startswith(f"South's pit {move['pit']}, ") for name in buttons), (move["pit"], buttons)
    assert ("combobox", "Rules") in names and ("textbox", "Position") in names, names
    headings = [name for role, name in names if role == "heading"]
    assert headings[:2] and "Value" in headings, headings
    assert page.js("document.documentElement.lang") == "en"


def a_recorded_game_is_graded(page, awari):
    # Moves of this game cost what the program says they cost.
    record = f'[South "Ama <b>bold</b>"]\n[North "Kofi"]\n[FEN "{BOARD}"]\n\n1. D f 2. E d *\n'
    path = os.path.join(awari.dir.name, "game.ogn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(record)
    said = [json.loads(line) for line in awari.run("grade", "--json", path).splitlines()]
    said = [move for move in said if move["kind"] == "move"]
    show(page, awari)
    page.type("#ogn", record)
    page.click("#record button")
    after(page, 4)
    assert len(said) == 4, said
    for move in said:
        page.hover(f'#plot [data-ply="{move["ply"]}"]')
        words = page.text("#plot-text")
        lost = f"loses {move['loss']} stone" if move["loss"] else "loses nothing"
        assert f"Move {move['ply']}, " in words and lost in words, (words, move)
    bars = page.js("document.querySelectorAll('#plot .bar').length")
    assert bars == 4, bars
    # A name is text, whatever is in it.
    assert "Ama <b>bold</b>" in page.text("#grades")
    assert page.js("document.querySelectorAll('#grades b').length") == 0
    # A click on the plot goes there.
    page.click('#plot [data-ply="1"]')
    page.wait(f"{READY} && !document.querySelector('#redo').disabled")
    assert position(page) == text_of(said[1]["board"])
    # Several games; rules of the record are taken over.
    with open(os.path.join(os.path.dirname(__file__), "../data/games/auale.ogn"), encoding="utf-8") as file:
        page.type("#ogn", file.read())
    page.click("#record button")
    page.wait(f"{READY} && document.querySelectorAll('#which option').length === 3")
    assert page.js("document.querySelector('#rules').value") == "abapa"
    page.choose("#which", "2")
    page.wait(f"{READY} && document.querySelectorAll('#history li').length > 100")
    page.problems.clear()


def a_link_holds_the_game(page, awari):
    show(page, awari)
    for moves, pit in enumerate(["D", "f", "E"]):
        page.click(f'[data-pit="{pit}"]')
        after(page, moves + 1)
    page.click("#back")
    page.wait(f"{READY} && !document.querySelector('#redo').disabled")
    page.click("#flip")
    there, link = position(page), page.js("location.href")
    page.open(link)
    page.wait(f"{READY} && document.querySelectorAll('#history li').length === 3")
    assert position(page) == there
    assert page.js("document.querySelector('#history [aria-current]').dataset.ply") == "2"
    assert page.js("location.href") == link


def text_in_a_link_stays_text(page, awari):
    evil = "<img src=x onerror=document.body.dataset.evil=1><script>document.body.dataset.evil=1</script>"
    for link in [awari.link(evil), awari.link(BOARD, rules=evil), awari.link(BOARD, moves=evil), awari.link(BOARD, at=evil, side=evil, flip=evil),
                 f"{awari.address}#{evil}", f"{awari.address}#board=%E0%A4%A&rules=%00"]:
        page.open(link)
        page.wait(READY)
        assert page.js("document.body.dataset.evil ?? document.querySelector('main img, main script, footer script')") is None, link
    page.type("#ogn", f'[South "{evil}"]\n[FEN "{BOARD}"]\n\n1. {evil} *\n')
    page.click("#record button")
    page.wait("document.querySelector('#trouble').textContent")
    assert page.js("document.body.dataset.evil ?? document.querySelector('main img, main script')") is None
    # Were there a script in the page itself, the policy would keep it from running.
    page.js("document.body.append(Object.assign(document.createElement('script'), { textContent: 'document.body.dataset.evil = 1' }))")
    assert page.js("document.body.dataset.evil") is None
    page.problems.clear()


def perfect_play_answers(page, awari):
    show(page, awari)
    page.choose("#computer", "N")
    page.wait(READY)
    page.click('[data-pit="F"]')
    after(page, 2)
    said = awari.probe(BOARD)
    child = next(play for play in json.load(urllib.request.urlopen(
        f"{awari.address}api/v1/probe?board={urllib.parse.quote_plus(BOARD)}"))["moves"] if play["pit"] == "F")["child"]
    best = {play["pit"].lower() for play in awari.probe(text_of(child))["moves"] if play["best"]}
    played = page.js("document.querySelector('[data-pit].last').dataset.pit")
    assert played in best, (played, best, said)


def positions_above_the_tables_are_played(page, awari):
    show(page, awari, "4 4 4 4 4 4 / 4 4 4 4 4 4")
    assert "There is no table of 48 stones" in page.text("#verdict")
    assert "The largest is of 12 stones" in page.text("#verdict")
    page.click('[data-pit="F"]')
    after(page, 1)
    assert page.js("document.querySelectorAll('.pit.can').length") == 6
    assert "No move is graded" in page.text("#plot-text")
    # Where nothing is known, perfect play does not guess.
    page.choose("#computer", "N")
    page.wait(f"{READY} && document.querySelector('#verdict').textContent.includes('move for both')")
    time.sleep(1)
    assert count(page) == 1
    page.choose("#computer", "")
    page.wait(READY)
    show(page, awari, "1 0 0 0 0 2 / 1 2 0 0 1 2", rules="slam-ends")
    assert "awari build --stones 12 --rules slam-ends" in page.text("#verdict"), page.text("#verdict")
    page.problems.clear()


def moves_faster_than_answers_are_graded(page, awari):
    # Values that come late are those of a slow server.
    page.open(awari.address)
    page.wait(READY)
    late = "(() => { const real = fetch; window.fetch = async (path, ...more) => { if (path.includes('/probe')) await new Promise((done) => setTimeout(done, 800)); return real(path, ...more); }; })()"
    page.js(late)
    page.js(f"location.hash = {json.dumps(urllib.parse.urlsplit(awari.link()).fragment)}")
    page.wait("document.querySelector('[data-pit=\"D\"].can') && !document.querySelector('.badge') && document.querySelector('#position').value.startsWith('0 1 0 2')")
    page.click('[data-pit="D"]')
    after(page, 1)
    best, played = (next(move["value"] for move in awari.probe(BOARD)["moves"] if test(move)) for test in (lambda m: m["best"], lambda m: m["pit"] == "D"))
    page.wait(f"document.querySelector('#history .cost')?.textContent === '{MINUS}{best - played}'")
    assert f"South {best - played}, North 0." in page.text("#plot-text")


def who_uses_the_keyboard_keeps_his_place(page, awari):
    show(page, awari, moves="DfE")
    page.js("document.querySelector('#history [data-ply=\"1\"]').focus()")
    assert page.text("#plot-text").startswith("Move 1, South plays D: loses")
    page.key("Enter")
    page.wait(f"{READY} && document.querySelector('#history [aria-current]').dataset.ply === '1'")
    assert page.js("document.activeElement.dataset.ply") == "1"
    for place in ("#moves", "#line"):
        page.js(f"document.querySelector('{place} button').focus()")
        before = position(page)
        page.key("Enter")
        page.wait(f"{READY} && document.querySelector('#position').value !== {json.dumps(before)} && document.querySelector('{place} button')")
        assert page.js(f"document.activeElement === document.querySelector('{place} button')"), place
    # Plots of tables tell their bars to keys.
    page.open(f"{awari.address}tables")
    page.wait("document.querySelectorAll('#depths .bar').length > 0")
    page.js("document.querySelector('#values').focus()")
    for _ in range(2):
        page.key("ArrowRight")
    assert page.text("#values-text").startswith(f"Value {MINUS}11: "), page.text("#values-text")


def tables_are_listed(page, awari):
    page.open(f"{awari.address}tables")
    page.wait("document.querySelectorAll('#depths .bar').length > 0")
    listed = [json.loads(line) for line in awari.run("info", "--json").splitlines()]
    listed = [item for item in listed if item["kind"] == "table"]
    rows = page.js("[...document.querySelectorAll('#list tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
    assert len(rows) == len(listed), (len(rows), len(listed))
    for row, item in zip(rows, listed):
        assert row[:3] == [item["rules"], str(item["stones"]), f"{item['positions']:,}"], (row, item)
    assert listed[12]["content_hash"] in page.text("#facts")
    # Bars are as many as values, and tell their counts.
    stats = json.loads(urllib.request.urlopen(f"{awari.address}api/v1/tables").read())["tables"][12]["counts"]
    page.hover("#values .hit:nth-of-type(2n)")
    assert page.wait("document.querySelector('#values-text').textContent.startsWith('Value ')")
    total = 0
    for at in range(page.js("document.querySelectorAll('#values .hit').length")):
        page.js(f"document.querySelectorAll('#values .hit')[{at}].dispatchEvent(new MouseEvent('mouseenter'))")
        total += int(re.search(r": ([\d,]+) positions", page.text("#values-text")).group(1).replace(",", ""))
    assert total == listed[12]["positions"] == stats["win"] + stats["draw"] + stats["loss"], total
    page.click('[data-table="abapa-8"]')
    page.wait("document.querySelector('#one-head').textContent === 'Rules abapa, 8 stones'")
    assert "There are no depths" in page.text("#depths-text")
    assert all(name for role, name in page.names() if role in ("button", "link", "image"))


# The contrast that WCAG 2.1 asks for: 4.5, and 3 for large text.
CONTRAST = """(() => {
  const parse = (color) => { const parts = color.match(/[\\d.]+/g).map(Number); return [...parts.slice(0, 3), parts[3] ?? 1]; };
  const over = (top, under) => under.map((part, at) => at === 3 ? 1 : top[at] * top[3] + part * (1 - top[3]));
  const light = (color) => color.slice(0, 3).map((part) => part / 255).map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const ground = (element) => {
    if (!element) return [255, 255, 255, 1];
    const badge = element.closest('.badge')?.querySelector('rect');
    if (badge && element.classList.contains('worth')) return parse(getComputedStyle(badge).fill);
    if (element.classList.contains('more')) return ground(element.closest('#board').parentElement);
    if (element.closest('#board')) {
      const root = getComputedStyle(document.documentElement);
      const probe = document.createElement('i');
      document.body.append(probe);
      // The lighter end of the wood is the worse one.
      probe.style.setProperty('color', root.getPropertyValue('--wood-1'));
      const color = parse(getComputedStyle(probe).color);
      probe.remove();
      return color;
    }
    const own = parse(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, ground(element.parentElement));
  };
  const bad = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    const box = element.getBoundingClientRect();
    if (!own || !box.width || box.right < 0 || element.closest(':disabled, script')) continue;
    const style = getComputedStyle(element);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    ink[3] *= Number(style.opacity);
    const under = ground(element);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const found = ratio(over(ink, under), under);
    if (found < least) bad.push(`${element.tagName}.${element.getAttribute('class')} "${element.textContent.trim().slice(0, 30)}" ${found.toFixed(2)}`);
  }
  return bad;
})()"""

# What sticks out of the window, or of a box that does not scroll.
CUT = """(() => {
  const bad = [];
  if (document.documentElement.scrollWidth > innerWidth) bad.push(`the page is ${document.documentElement.scrollWidth} wide`);
  for (const element of document.querySelectorAll('main *, header *, footer *')) {
    const box = element.getBoundingClientRect();
    if (box.width && (box.right > innerWidth + 1 || box.left < -1) && !element.closest('.wide, .skip')) bad.push(`${element.tagName}#${element.id} from ${box.left} to ${box.right}`);
  }
  for (const box of document.querySelectorAll('.wide')) if (box.scrollWidth > box.clientWidth) bad.push(`a table is ${box.scrollWidth} wide, its place ${box.clientWidth}`);
  const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const words = [...document.querySelectorAll('#board text, .plot text')].map((text) => [text.textContent, text.getBoundingClientRect()]);
  words.forEach(([one, box], at) => words.slice(at + 1).forEach(([other, second]) => { if (over(box, second)) bad.push(`"${one}" is over "${other}"`); }));
  const whole = document.querySelector('#board')?.getBoundingClientRect();
  if (whole) for (const [text, box] of words.slice(0, document.querySelectorAll('#board text').length)) {
    if (box.left < whole.left - 1 || box.right > whole.right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1) bad.push(`"${text}" sticks out of the board`);
  }
  return bad;
})()"""


def it_is_readable_at_every_width(page, awari, pictures=None):
    # The longest name of rules is in the list, too.
    awari.run("build", "--stones", "12", "--rules", "slam-ends")
    for width in (1280, 390):
        for dark in (False, True):
            page.size(width, 900 if width > 600 else 844, dark, phone=width < 600)
            name = f"{width}-{'dark' if dark else 'light'}"
            for what in ("board", "tables"):
                if what == "board":
                    show(page, awari)
                    page.click('[data-pit="D"]')
                    after(page, 1)
                    page.click('[data-pit="f"]')
                    after(page, 2)
                else:
                    page.open(f"{awari.address}tables")
                    page.wait("document.querySelectorAll('#depths .bar').length > 0")
                if pictures:
                    page.picture(os.path.join(pictures, f"{what}-{name}.png"))
                    if (what, name) == ("board", "1280-light"):
                        # The one that README shows.
                        page.picture(os.path.join(pictures, "page.png"), scale=0.75)
                for trouble in (CONTRAST, CUT):
                    bad = page.js(trouble)
                    assert not bad, (what, name, bad)
                small = page.js("[...document.querySelectorAll('button, select, input, .pit.can')].map((e) => [e.id || e.textContent, e.getBoundingClientRect()])"
                                ".filter(([, b]) => b.width && (b.width < 24 || b.height < 24)).map(([n]) => n)")
                assert not small, f"too small to be touched: {small}"
    page.size(1280, 900)


def nothing_is_fetched_from_elsewhere(page, awari):
    page.events.clear()
    show(page, awari)
    page.open(f"{awari.address}tables")
    page.wait("document.querySelectorAll('#depths .bar').length > 0")
    assert len(page.events) > 10
    assert all(url.startswith((awari.address, "about:")) for url in page.events), page.events


TESTS = [
    values_are_those_of_the_program, a_board_is_set_up_by_clicks, any_notation_is_pasted, a_line_is_played_to_the_end,
    moves_are_taken_back_and_redone, the_board_is_flipped, keys_do_what_clicks_do, screen_readers_are_told,
    a_recorded_game_is_graded, a_link_holds_the_game, text_in_a_link_stays_text, perfect_play_answers,
    positions_above_the_tables_are_played, moves_faster_than_answers_are_graded, who_uses_the_keyboard_keeps_his_place, tables_are_listed, it_is_readable_at_every_width, nothing_is_fetched_from_elsewhere,
]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program")
    options.add_argument("--browser", default="chromium")
    options.add_argument("--pictures", help="where pictures of the pages are put")
    options.add_argument("tests", nargs="*", help="some of the tests, by name")
    options = options.parse_args()
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    failed = 0
    with Awari(options.program) as awari, Browser(options.browser) as page:
        for test in TESTS:
            if options.tests and test.__name__ not in options.tests:
                continue
            page.problems.clear()
            page.size(1280, 900)
            try:
                test(page, awari, *([options.pictures] if test is it_is_readable_at_every_width else []))
                # No script failed, nothing was missing, and nothing was against the policy.
                assert not page.problems, page.problems
                print(f"{test.__name__} ... ok")
            except Exception:
                failed += 1
                traceback.print_exc()
                print(f"{test.__name__} ... FAILED")
            sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
