package webtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Comments on lines of a difference stay in the tab until the work is returned with them, and then appear with their places in the
// agent's next brief.
func TestCommentsGoIntoTheBrief(t *testing.T) {
	browser(t)
	b := newBusy(t)
	b.at(b.ann, "agit", "finish", "--agent", "ann", "--summary", "done", "--quiet")
	p := openBrowser(t, serve(t, b.home, b.dir, "--actions"))
	p.looks(1400, 800, "light")
	at := "/?open=worktree:" + b.worktree("ann")
	p.open(at)
	number := func(line string) string { return `button[aria-label="Comment on line ` + line + ` of login.go"]` }
	p.has("The number of a line opens a comment")
	p.do(chromedp.Click(chromedp.CSS(".hunk .add " + number("5"))))
	p.until(`document.activeElement.matches(".comment textarea")`)
	p.press("Say who")
	p.do(chromedp.Focus(chromedp.CSS(".hunk .add " + number("5"))))
	p.press(kb.ArrowDown)
	p.press(kb.Enter)
	p.until(`document.activeElement.matches(".comment textarea") && !document.activeElement.value`)
	p.press("Keep this")
	p.has("2 comments for its agent")
	p.sound("comments")
	p.open(at) // comments are kept
	p.has("2 comments for its agent")
	p.click(".panel .buttons", "Return …")
	p.until(`document.querySelector("dialog[open] pre")?.innerText.includes("login.go:5: Say who")`)
	p.sound("the question")
	p.do(chromedp.Click(chromedp.CSS("dialog button.main"))) // the comments are enough
	p.until(`!document.querySelector("dialog") && !document.querySelector(".panel .at-line")`)
	brief := b.at(b.ann, "agit", "begin", b.login, "--agent", "ann")
	for _, want := range []string{"login.go:5: Say who", "+// ann was here", "login.go:6: Keep this"} {
		if !strings.Contains(brief, want) {
			t.Errorf("%q is not in the brief:\n%s", want, brief)
		}
	}
	if got := eval[string](p, `sessionStorage.getItem("agit.comments")`); got != "{}" {
		t.Errorf("kept after they were sent: %s", got)
	}
	p.quiet()
}

// A removed line has its number in the old file and an added one that in the new file; the note on a missing end of line has none.
func TestLinesAreNumbered(t *testing.T) {
	browser(t)
	p := openBrowser(t, serve(t, newProject(t).home, t.TempDir()))
	p.open("/")
	eval[int](p, `(window.numbers = null, import("/static/comments.js").then((m) => (window.numbers = m.numbered({ at: "@@ -8,3 +10,3 @@ func", lines: [" a", "-b", "+c", "+d", " e", "\\ No newline"] }))), 0)`)
	p.until(`window.numbers`)
	got := eval[[]int](p, `window.numbers`)
	if want := []int{10, 9, 11, 12, 13, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// The timeline cuts a long stretch without a session to a mark, and time never goes back.
func TestTimeWithoutEmptyHours(t *testing.T) {
	browser(t)
	p := openBrowser(t, serve(t, newProject(t).home, t.TempDir()))
	p.open("/")
	eval[int](p, `(import("/static/timeline.js").then(({ scale }) => {
		const hour = 3600000;
		const at = (from, to) => ({ started_at: new Date(from * hour).toISOString(), heard_at: new Date(to * hour).toISOString(), ended_at: new Date(to * hour).toISOString() });
		const one = scale([at(2, 3), at(2.5, 4), at(20, 21)], 0, 24 * hour, 1000);
		window.scaled = {
			gaps: one.gaps.map((g) => [g.from / hour, g.to / hour]), ends: [one.x(0), one.x(24 * hour)],
			grows: Array.from({ length: 240 }, (_, i) => one.x((i + 1) * hour / 10) >= one.x(i * hour / 10)).every(Boolean),
			share: (one.x(4 * hour) - one.x(2 * hour)) / 1000,
			full: scale([at(0, 24)], 0, 24 * hour, 1000).gaps.length,
		};
	}), 0)`)
	p.until(`window.scaled`)
	got := eval[struct {
		Gaps  [][]float64
		Ends  []float64
		Grows bool
		Share float64
		Full  int
	}](p, `window.scaled`)
	if len(got.Gaps) != 3 || got.Gaps[1][0] != 4.5 || got.Gaps[1][1] != 19.5 || got.Full != 0 {
		t.Errorf("cut are %v, and %d where there is no gap", got.Gaps, got.Full)
	}
	if !got.Grows || got.Ends[0] != 0 || got.Ends[1] < 999.9 || got.Ends[1] > 1000.1 {
		t.Errorf("it runs from %v, and goes back: %v", got.Ends, !got.Grows)
	}
	if got.Share < .3 { // two hours of twenty-four
		t.Errorf("two busy hours have %.2f of the picture", got.Share)
	}
}

// The board shows tickets beside tasks, and its filters apply to both.
func TestTicketsOnTheBoard(t *testing.T) {
	browser(t)
	b := newBusy(t)
	b.run("pmsync", "ticket", "create", "Printed links", "--key", "APP-8", "--assignee", "Cy", "--quiet")
	p := openBrowser(t, serve(t, b.home, b.dir))
	p.looks(1400, 800, "light")
	p.open("/board")
	p.has("Printed links")
	p.has("Links expire")
	p.has("Login page")
	p.until(`[...document.querySelectorAll(".filters label")].some((l) => l.innerText.startsWith("Assignee"))`)
	p.open("/board?assignee=Cy")
	p.has("Printed links")
	p.until(`!document.body.innerText.includes("Links expire") && !document.body.innerText.includes("Login page")`)
	p.open("/board?assignee=ann")
	p.has("Login page")
	p.until(`!document.body.innerText.includes("Printed links")`)
	p.sound("the board, filtered")
	p.open("/board?q=APP-8")
	p.do(chromedp.Click(chromedp.CSS(".beside [role=row]")))
	p.until(`location.pathname === "/sprint" && document.querySelector(".panel h2")?.innerText === "Printed links"`)
	p.quiet()
}
