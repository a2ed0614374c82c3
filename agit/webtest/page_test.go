package webtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// views are the paths of the page, each with a text that the fixture puts there.
var views = []struct{ path, name, text string }{
	{"/", "Overview", "the index has no German stemmer"},
	{"/board", "Board", "Log out everywhere"},
	{"/graph", "Graph", "Critical path: 3 tasks"},
	{"/conflicts", "Conflicts", "Who with whom"},
	{"/timeline", "Timeline", "Login page"},
	{"/memories", "Memories", "Dates are stored in UTC"},
	{"/sprint", "Sprint", "Links expire"},
	{"/records", "Records", "CS communication score"},
}

// panels are the panels beside a view, each with a text.
func panels(b *busy) [][2]string {
	return [][2]string{
		{"/?open=task:" + b.limit, "blocked"}, {"/?open=agent:ann", "Heard of"}, {"/?open=worktree:" + b.worktree("ann"), "// ann was here"},
		{"/memories?open=memory:" + b.memory, "login.go:3"}, {"/sprint?open=ticket:APP-7", "after a day"},
		{"/records?open=record:ann", "Score points"}, {"/?open=task:none", "none"},
	}
}

func (b *busy) worktree(agent string) string {
	b.t.Helper()
	return b.run("agit", "status", "app", "--no-scan", "--jq", `.repos[0].worktrees[] | select(.agent == "`+agent+`") | .worktree_id`)
}

// TestViews shows every view and panel at three widths, light and dark. None may scroll sideways, report an error, have a control
// without a name, or a text with low contrast.
func TestViews(t *testing.T) {
	browser(t)
	b := newBusy(t)
	p := openBrowser(t, serve(t, b.home, b.dir))
	for _, screen := range []struct {
		width   int64
		colours string
	}{{390, "light"}, {390, "dark"}, {800, "light"}, {1400, "dark"}} { // TestPictures compares every size in both
		width, colours := screen.width, screen.colours
		p.looks(width, 800, colours)
		for _, v := range views {
			p.open(v.path)
			p.has(v.text)
			p.until(`((at) => at.left >= 0 && at.right <= innerWidth)(document.querySelector(".tabs [aria-current]").getBoundingClientRect())`)
			p.until(`!document.querySelector("[aria-busy]")`)
			if got := eval[string](p, `document.querySelector(".tabs [aria-current]").innerText`); !strings.HasPrefix(got, v.name) {
				t.Errorf("the tab is %q, not %q", got, v.name)
			}
			p.sound(fmt.Sprintf("%s at %d, %s", v.path, width, colours))
			p.shot(fmt.Sprintf("test-%s-%d-%s", v.name, width, colours))
		}
		for _, one := range panels(b) {
			p.open(one[0])
			p.until(`document.querySelector(".panel")`)
			p.has(one[1])
			p.sound(fmt.Sprintf("%s at %d, %s", one[0], width, colours))
		}
		p.forgive("status of 404") // the missing task
		p.quiet()
	}
}

// sound fails for content that a person could not read or reach.
func (p *page) sound(where string) {
	p.t.Helper()
	for _, complaint := range eval[[]string](p, soundness) {
		p.t.Errorf("%s: %s", where, complaint)
	}
}

// forgive removes expected reports.
func (p *page) forgive(text string) {
	p.said.mu.Lock()
	defer p.said.mu.Unlock()
	kept := p.said.lines[:0]
	for _, line := range p.said.lines {
		if !strings.Contains(line, text) {
			kept = append(kept, line)
		}
	}
	p.said.lines = kept
}

// press types keys as a keyboard does.
func (p *page) press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		p.do(chromedp.KeyEvent(key))
	}
}

func TestKeyboardAlone(t *testing.T) {
	browser(t)
	b := newBusy(t)
	p := openBrowser(t, serve(t, b.home, b.dir))
	p.looks(1280, 800, "light")
	p.open("/")
	for i, v := range views {
		p.press(fmt.Sprint(i + 1))
		p.until(`location.pathname === "` + v.path + `"`)
		p.has(v.text)
	}
	p.press("2") // the board
	p.has("Log out everywhere")
	p.press("/")
	p.until(`document.activeElement.matches("input.filter")`)
	eval[string](p, `document.activeElement.value = ""`) // the protocol types a key even if its default was prevented
	p.press("limit")
	p.until(`location.search === "?q=limit" && !document.body.innerText.includes("Log out everywhere")`)
	p.press(kb.Escape)
	p.until(`document.activeElement === document.body`)
	p.do(chromedp.Focus(chromedp.CSS("#lane-blocked")))
	p.press(kb.Enter)
	p.until(`document.querySelector(".panel h2") === document.activeElement && location.search.includes("open=task")`)
	p.has("blocked by bug")
	p.press(kb.Escape)
	p.until(`!document.querySelector(".panel") && document.activeElement.id === "lane-blocked"`)
	p.open("/board")
	p.has("Log out everywhere")
	p.do(chromedp.Focus(chromedp.CSS("#lane-waits")))
	first := eval[string](p, `document.activeElement.getAttribute("aria-activedescendant")`)
	p.press("j")
	p.until(`document.activeElement.getAttribute("aria-activedescendant") !== "` + first + `"`)
	p.press(kb.ArrowRight)
	p.until(`document.activeElement.id === "lane-blocked"`)
	p.press("3") // the graph
	p.until(`document.querySelector(".node[tabindex='0']")`)
	p.do(chromedp.Focus(chromedp.CSS(".node[tabindex='0']")))
	p.until(`document.activeElement.getAttribute("aria-label").startsWith("Login page")`)
	p.press(kb.ArrowRight)
	p.until(`document.activeElement.getAttribute("aria-label").startsWith("Sessions that end")`)
	p.press(kb.Enter)
	p.until(`document.querySelector(".panel h2")?.innerText === "Sessions that end"`)
	p.press("q")
	p.until(`!document.querySelector(".panel")`)
	p.press("1")
	p.has("the index has no German stemmer")
	p.press("?")
	p.until(`document.querySelector("dialog.help[open]")`)
	p.press(kb.Escape)
	p.until(`!document.querySelector("dialog")`)
	p.press("d") // the difference of the first need
	p.has("since")
	p.until(`location.search.includes("open=worktree")`)
	p.do(chromedp.NavigateBack())
	p.until(`!document.querySelector(".panel")`)
	p.quiet()
}

// Texts of agents and people stay texts, whatever they contain.
func TestHostileTexts(t *testing.T) {
	browser(t)
	b := newProject(t)
	var tasks []string
	for _, text := range hostileTexts {
		tasks = append(tasks, b.task(text))
		b.run("memoryd", "remember", "x "+text, "--type", "warning", "--agent", "ann", "--quiet")
		b.run("pmsync", "ticket", "create", text, "--description", "Acceptance Criteria:\n- [ ] "+text, "--quiet")
	}
	for i, task := range tasks[:4] {
		dir := b.spawn(fmt.Sprintf("agent-%d", i), task)
		edit(t, dir, "login.go", hostileTexts[i%3])
		b.run("agit", "tasks", "app", "--fail", task, "--agent", fmt.Sprintf("agent-%d", i), "--result", hostileTexts[i])
	}
	for i := range tasks[4:] {
		b.run("agit", "bug", "report", hostileTexts[i+4], "--severity", "low", "--blocks", tasks[i+4])
	}
	p := openBrowser(t, serve(t, b.home, b.dir))
	for _, width := range []int64{390, 1280} {
		p.looks(width, 800, "light")
		for _, v := range views {
			p.open(v.path)
			p.until(`document.querySelector("main").innerText.trim() !== "…" && !document.querySelector("[aria-busy]")`)
			p.sound(v.path)
		}
		for _, task := range tasks {
			p.open("/?open=task:" + task)
			p.has("Why it")
			p.sound("panel")
		}
	}
	p.open(`/?q=%3Cimg%20src=x%20onerror=window.pwned=5%3E&open=%22%3E%3Cscript%3Ewindow.pwned=6%3C/script%3E:x`)
	if got := eval[*int](p, `window.pwned ?? null`); got != nil {
		t.Errorf("text %d ran", *got)
	}
	if eval[bool](p, `document.body.innerText.includes("\u202e")`) {
		t.Error("a character that turns text around reached the page")
	}
	p.quiet()
}

func TestChangesShow(t *testing.T) {
	browser(t)
	b := newBusy(t)
	s := serve(t, b.home, b.dir)
	p := openBrowser(t, s)
	p.looks(1280, 800, "dark")
	p.open("/board")
	p.has("Rate limit")
	b.task("A task that is new")
	p.has("A task that is new")
	p.do(chromedp.Navigate(s.base + "/conflicts"))
	p.has("will not merge")
	edit(t, b.bob, "login.go", "// a line") // as it was
	p.has("No worktree is in another's way.")
	p.quiet()
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.has("stale since")
	p.forgive("ERR_") // nothing answers
}

// A long list shows its first rows, a filter searches all of it, and a link shows more.
func TestLongLists(t *testing.T) {
	browser(t)
	b := newProject(t)
	var tasks, memories strings.Builder
	for i := range 203 {
		fmt.Fprintf(&tasks, "{\"name\": \"Task number %d\"}\n", i)
		fmt.Fprintf(&memories, "{\"memory_type\": \"pattern\", \"key\": \"k-%d\", \"content\": \"memory %d is %x alone\"}\n", i, i, i*7919)
	}
	b.feed(tasks.String(), "agit", "import", "-", "--repo", "app", "--quiet")
	b.feed(memories.String(), "memoryd", "remember", "-", "--quiet")
	for i := range 3 {
		b.run("pmsync", "ticket", "create", fmt.Sprintf("Ticket number %d", i), "--quiet")
		b.run("memoryd", "session", "start", "--agent", fmt.Sprintf("agent-%d", i), "--quiet")
	}
	p := openBrowser(t, serve(t, b.home, b.dir))
	for _, path := range []string{"/sprint", "/timeline"} {
		p.open(path + "?most=2")
		p.has("The first 2 of 3.")
		p.sound(path)
		p.do(chromedp.Click(chromedp.CSS(".more a")))
		p.until(`document.querySelector("[role=grid]").getAttribute("aria-rowcount") >= 3 && !document.querySelector(".more")`)
	}
	for _, list := range []struct{ path, last, grid string }{{"/board", "Task number 202", "#lane-ready"}, {"/memories", "memory 202 is", "#memories"}} {
		for _, width := range []int64{390, 1280} {
			p.looks(width, 800, "light")
			p.open(list.path)
			p.has("The first 200 of 203.")
			p.sound(list.path)
			p.shot(fmt.Sprintf("test-long%s-%d", strings.ReplaceAll(list.path, "/", "-"), width))
		}
		p.open(list.path + "?q=" + strings.ReplaceAll(list.last, " ", "+"))
		p.has(list.last)
		p.open(list.path)
		p.do(chromedp.Click(chromedp.CSS(".more a")))
		p.until(`document.querySelector("` + list.grid + `").getAttribute("aria-rowcount") >= 203 && !document.querySelector(".more")`)
	}
	p.quiet()
}

// In a graph with too many tasks, epics stand for their tasks and lead to them.
func TestLargeGraph(t *testing.T) {
	browser(t)
	b := newProject(t)
	var tasks strings.Builder
	tasks.WriteString("{\"kind\": \"epic\", \"id\": \"E-1\", \"name\": \"Accounts\"}\n")
	for i := range 420 {
		fmt.Fprintf(&tasks, "{\"id\": \"T-%d\", \"name\": \"Task number %d\"", i, i)
		if i < 20 {
			tasks.WriteString(", \"epic\": \"E-1\"")
		}
		if i%2 == 1 {
			fmt.Fprintf(&tasks, ", \"dependsOn\": [\"T-%d\"]", i-1)
		}
		tasks.WriteString("}\n")
	}
	b.feed(tasks.String(), "agit", "import", "-", "--repo", "app", "--quiet")
	p := openBrowser(t, serve(t, b.home, b.dir))
	drawn := func(n int) {
		t.Helper()
		p.until(fmt.Sprintf(`document.querySelectorAll(".node").length === %d && !document.querySelector("[aria-busy]")`, n))
	}
	p.looks(1280, 800, "light")
	p.open("/graph")
	p.has("epics stand for theirs")
	drawn(4) // two steps of the critical path, and two groups
	p.sound("graph of epics")
	p.shot("test-graph-of-epics")
	p.until(`document.querySelector(".words").textContent.includes("and 10 more tasks")`)
	p.do(chromedp.Focus(chromedp.CSS(`[data-node="epic -"]`)))
	p.press(kb.Enter)
	drawn(300)
	p.has("100 more tasks not shown")
	p.until(`location.search.includes("epic=-")`)
	p.do(chromedp.NavigateBack())
	drawn(4)
	p.do(chromedp.Focus(chromedp.CSS(`[data-node="epic E-1"]`)))
	p.press(kb.Enter)
	drawn(20)
	p.open("/graph?q=number+41")
	drawn(14) // 41, 141, 241, 341, and 410 to 419
	p.sound("graph, filtered")
	p.quiet()
}

// At the end of a shortened list the page names the command that lists everything.
func TestEndOfAList(t *testing.T) {
	browser(t)
	b := newProject(t)
	for i := range 3 {
		b.task(fmt.Sprintf("Task number %d", i))
		b.run("pmsync", "ticket", "create", fmt.Sprintf("Ticket number %d", i), "--quiet")
		b.run("memoryd", "session", "start", "--agent", fmt.Sprintf("agent-%d", i), "--quiet")
		b.run("memoryd", "remember", fmt.Sprintf("memory %d stands alone", i), "--quiet")
	}
	p := openBrowser(t, serve(t, b.home, b.dir))
	for path, command := range map[string]string{"/sprint": "pmsync ticket list", "/timeline": "memoryd session list --limit 3", "/memories": "memoryd export", "/board": "agit tasks --all"} {
		p.open(path + "?most=2")
		p.has("The first 2 of 3. Show 1 more")
		eval[string](p, `document.documentElement.dataset.mostRows = "2"`)
		p.press("/")
		p.press("m") // it is drawn anew
		p.press(kb.Backspace)
		p.has("The first 2 of 3. The page shows no more: choose with the filter, or list them with " + command + ".")
		p.sound(path)
		words := strings.Fields(command)
		if got := b.run(words[0], words[1:]...); got == "" {
			t.Errorf("%s lists nothing", command)
		}
	}
	p.quiet()
}

func TestActions(t *testing.T) {
	browser(t)
	b := newBusy(t)
	reader := openBrowser(t, serve(t, b.home, b.dir))
	reader.open("/?open=task:" + b.failed)
	reader.has("German stemmer")
	if eval[bool](reader, `Boolean(document.querySelector(".buttons, .editor"))`) {
		t.Error("a page that only shows has buttons")
	}
	p := openBrowser(t, serve(t, b.home, b.dir, "--actions"))
	p.looks(1280, 800, "light")
	p.open("/?open=task:" + b.failed)
	p.do(chromedp.Click(chromedp.CSS(".panel .buttons button"))) // Reopen
	p.until(`document.querySelector("dialog[open]")`)
	p.press(kb.Escape)
	p.until(`!document.querySelector("dialog")`)
	p.do(chromedp.Click(chromedp.CSS(".panel .buttons button")))
	p.until(`document.querySelector("dialog[open]")`)
	p.sound("the question")
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.has("Why it can be begun")
	p.has("person")

	p.do(chromedp.Click(chromedp.CSS(".editor summary")), chromedp.SetValue(chromedp.CSS(".editor select"), "critical"))
	p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.querySelector(".editor select").dispatchEvent(new Event("change"))`))
		return err
	}), chromedp.Click(chromedp.CSS(".editor button.main")))
	p.until(`[...document.querySelectorAll(".facts dd")].some((d) => d.innerText === "critical")`)
	var detail struct {
		Priority string
		History  []struct{ Actor, Why string }
	}
	if err := json.Unmarshal([]byte(b.run("agit", "tasks", "show", b.failed, "--json")), &detail); err != nil {
		t.Fatal(err)
	}
	if last := detail.History[len(detail.History)-1]; detail.Priority != "critical" || last.Actor != "person" {
		t.Errorf("the history does not say who it was: %+v", detail)
	}

	// A text that was changed after the person began to edit it is not replaced, and the typed text stays.
	p.do(chromedp.Focus(chromedp.CSS(".editor textarea")))
	p.press("!")
	b.run("agit", "tasks", "--edit", b.failed, "--text", "Move the search to German", "--force", "--quiet")
	p.until(`document.querySelector(".panel h2").innerText === "Move the search to German"`)
	p.do(chromedp.Click(chromedp.CSS(".editor button.main")))
	p.until(`document.querySelector(".editor .problem")?.innerText.includes("was changed since you began to edit it")`)
	p.until(`document.querySelector(".editor textarea").value.includes("!")`)
	p.click(".editor", "Discard")
	p.until(`document.querySelector(".editor textarea").value === "Move the search to German" && !document.querySelector(".editor .problem")`)

	// A removal is confirmed twice, and refused while work would be lost.
	edit(t, b.none, "upload.go", "// not committed")
	none := b.run("agit", "status", "app", "--no-scan", "--jq", `.repos[0].worktrees[] | select(.agent == null) | .worktree_id`)
	p.open("/?open=worktree:" + none)
	p.until(`[...document.querySelectorAll(".panel .buttons button")].some((x) => x.innerText === "Remove …" && !x.click())`)
	p.until(`document.querySelector("dialog[open] button.main")?.innerText === "Remove"`)
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`document.querySelector("dialog[open] button.main")?.innerText.endsWith("now")`)
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`document.querySelector("dialog .problem")`)
	p.press(kb.Escape)
	b.at(b.none, "git", "checkout", "--quiet", "--", ".")
	p.until(`!document.querySelector("dialog")`)
	p.until(`[...document.querySelectorAll(".panel .buttons button")].some((x) => x.innerText === "Remove …" && !x.click())`)
	p.until(`document.querySelector("dialog[open]")`)
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`document.querySelector("dialog[open] button.main")?.innerText.endsWith("now")`)
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`!document.querySelector("dialog")`)
	if got := b.run("agit", "status", "app", "--no-scan", "--jq", "[.repos[0].worktrees[].agent] | join(\",\")"); got != "ann,bob" {
		t.Errorf("the worktrees left are of %q", got)
	}
	p.forgive("status of 4") // the refusal
	p.quiet()
}

// click clicks the button with a text inside a selector; the button may be redrawn meanwhile.
func (p *page) click(in, text string) {
	p.t.Helper()
	quoted, _ := json.Marshal(text)
	p.until(`[...document.querySelectorAll(` + "`" + in + ` button` + "`" + `)].some((x) => x.innerText === ` + string(quoted) + ` && !x.click())`)
}

// decide clicks a button and answers its question.
func (p *page) decide(in, text, why string) {
	p.t.Helper()
	p.click(in, text)
	p.until(`document.querySelector("dialog[open]")`)
	if why != "" {
		p.do(chromedp.Focus(chromedp.CSS("dialog textarea")))
		p.press(why)
	}
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`!document.querySelector("dialog")`)
}

// Waiting work is returned and accepted, work is merged, and a task is taken from its agent.
func TestDecisions(t *testing.T) {
	browser(t)
	b := newBusy(t)
	b.at(b.ann, "agit", "finish", "--quiet")
	p := openBrowser(t, serve(t, b.home, b.dir, "--actions"))
	p.looks(1280, 800, "light")
	p.open("/?q=german")
	p.until(`document.querySelectorAll(".cards > li").length === 1`)
	p.press("a") // the review is not in this view
	p.press("w")
	p.until(`document.querySelector(".panel h2")?.innerText === "Move the search" && !document.querySelector("dialog")`)
	p.open("/")
	p.until(`document.querySelector(".cards").innerText.includes("Login page")`) // the purpose of the work
	p.decide(".cards", "Return …", "Say what it is for.")
	p.until(`!document.querySelector(".cards").innerText.includes("to review")`)
	if text := b.at(b.ann, "agit", "begin", "--agent", "ann", "--quiet"); !strings.Contains(text, "> Say what it is for.") {
		t.Errorf("the next brief does not say why it was returned:\n%s", text)
	}
	edit(t, b.ann, "login.go", "// the login page")
	b.at(b.ann, "agit", "finish", "--commit", "--quiet")
	// A commit that was added after the question was asked is not accepted unseen.
	p.click(".cards", "Accept")
	p.until(`document.querySelector("dialog[open]")`)
	edit(t, b.ann, "login.go", "// the login page,\n// with a form")
	b.at(b.ann, "agit", "finish", "--commit", "--quiet")
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`document.querySelector("dialog .problem")?.innerText.includes("shown anew")`)
	p.press(kb.Escape)
	p.until(`!document.querySelector("dialog")`)
	p.forgive("status of 4")
	p.do(chromedp.Reload())
	p.has("+2 -1 in 1 file") // the commit that was shown last
	p.decide(".cards", "Accept", "")
	p.until(`!document.querySelector(".cards").innerText.includes("to review")`)
	if state := b.run("agit", "tasks", "show", b.login, "--jq", ".status"); state != "completed" {
		t.Errorf("the task of the accepted work is %s", state)
	}

	edit(t, b.none, "upload.go", "// uploads")
	b.at(b.none, "git", "commit", "--quiet", "-am", "Upload")
	none := b.run("agit", "status", "app", "--no-scan", "--jq", `.repos[0].worktrees[] | select(.agent == null) | .worktree_id`)
	// The landed commit is the one that the person saw, by button and by key.
	p.open("/?open=worktree:" + none)
	p.until(`document.querySelector(".panel").innerText.includes("1 ahead")`)
	p.click(".panel", "Merge")
	p.until(`document.querySelector("dialog[open]")`)
	edit(t, b.none, "upload.go", "// more uploads")
	b.at(b.none, "git", "commit", "--quiet", "-am", "More")
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`!document.querySelector("dialog")`)
	if first := b.run("git", "log", "--format=%s", "-1", "HEAD^2"); first != "Upload" {
		t.Errorf("main has %q", first)
	}
	p.until(`document.querySelector(".panel").innerText.includes("1 ahead, 5 behind")`)
	p.press("m")
	p.until(`document.querySelector("dialog[open]")`)
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`!document.querySelector("dialog")`)
	if first := b.run("git", "log", "--format=%s", "-1", "HEAD^2"); first != "More" {
		t.Errorf("main has %q", first)
	}

	p.open("/?open=task:" + b.sso)
	holder := b.run("agit", "tasks", "show", b.sso, "--jq", ".agent")
	p.click(".panel", "Release")
	p.until(`document.querySelector("dialog[open]")`)
	b.run("agit", "tasks", "--release", b.sso, "--force", "--quiet")
	b.run("agit", "tasks", "--claim", b.sso, "--agent", "eve", "--quiet")
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`document.querySelector("dialog button.main").innerText.includes("though ` + holder + ` is not gone")`)
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`document.querySelector("dialog .problem")?.innerText.includes("no longer held by")`)
	p.press(kb.Escape)
	p.until(`!document.querySelector("dialog")`)
	p.forgive("status of 4")
	p.open("/?open=agent:eve")
	p.until(`document.querySelector('.panel [data-key="r"]')`)
	p.press("r")
	p.until(`document.querySelector("dialog[open]")`)
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`document.querySelector("dialog button.main").innerText.includes("though eve is not gone")`)
	p.do(chromedp.Click(chromedp.CSS("dialog button.main")))
	p.until(`!document.querySelector("dialog")`)
	p.open("/?open=task:" + b.sso)
	p.has("Why it can be begun")
	if holder := b.run("agit", "tasks", "show", b.sso, "--jq", ".status"); holder != "pending" {
		t.Errorf("the released task is %s", holder)
	}
	if err := os.Rename(b.bob, b.bob+"-away"); err != nil {
		t.Fatal(err)
	}
	p.open("/")
	p.until(`document.querySelector(".cards").innerText.includes("folder is gone")`)
	p.until(`document.querySelector(".cards").innerText.includes("agit doctor")`)
	p.quiet()
}

func TestWithoutJavaScript(t *testing.T) {
	browser(t)
	b := newBusy(t)
	s := serve(t, b.home, b.dir)
	p := openBrowser(t, s)
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		p.do(chromedp.Navigate(s.base + v.path))
		text, err := chromedp.Run(p.ctx, chromedp.Text(chromedp.CSS("body")))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(text, "agit web --open") {
			t.Skip("this system does not say whose a connection is: without JavaScript the page opens once, with --open")
		}
		if v.path != "/conflicts" && v.path != "/graph" && !strings.Contains(text, v.text) {
			t.Errorf("%s: %q is not in %q", v.path, v.text, text)
		}
	}
}

// A page with another run's token, or without one, shows what to do.
func TestWithoutToken(t *testing.T) {
	browser(t)
	b := newProject(t)
	s := serve(t, b.home, b.dir)
	p := openBrowser(t, s)
	p.do(chromedp.Navigate(s.base + "/#t=wrong"))
	p.has("open the address that")
	p.forgive("status of 401")
	p.quiet()
	p.do(chromedp.Navigate("about:blank"))
	p.do(chromedp.Navigate(s.base + "/"))
	p.has("open the address that")
	p.do(chromedp.Navigate("about:blank"))
	p.open("/")
	if eval[string](p, `location.href`) != s.base+"/" {
		t.Error("the token stays in the address")
	}
}

// The chosen row stays chosen, at its place, when a more urgent row arrives, and Enter opens it.
func TestChosenRowStays(t *testing.T) {
	browser(t)
	b := newProject(t)
	for i := range 30 {
		b.task(fmt.Sprintf("Task number %d", i))
	}
	p := openBrowser(t, serve(t, b.home, b.dir))
	p.looks(1280, 500, "light")
	p.open("/board")
	p.has("Task number 3")
	place := `((row) => row && Math.round(row.getBoundingClientRect().top))([...document.querySelectorAll("#lane-ready .active")].find((row) => row.innerText.includes("Task number 5")))`
	p.do(chromedp.Focus(chromedp.CSS("#lane-ready")))
	p.press("j", "j", "j", "j", "j")
	p.until(place)
	was := eval[int](p, place)
	b.task("A critical task", "--priority", "critical")
	p.has("31")
	p.until(place + ` === ` + fmt.Sprint(was))
	p.press(kb.Enter)
	p.until(`document.querySelector(".panel h2")?.innerText === "Task number 5"`)
	p.press(kb.Escape)
	p.until(`!document.querySelector(".panel")`)
	// A scrolled list keeps its position, even without the keyboard focus.
	eval[bool](p, `document.activeElement.blur(), document.querySelector("#lane-ready").scrollTop = 1000, true`)
	seen := `((lane) => Math.round([...lane.querySelectorAll(".row")].find((row) => row.innerText.includes("Task number 14"))?.getBoundingClientRect().top - lane.getBoundingClientRect().top))(document.querySelector("#lane-ready"))`
	p.until(seen + ` >= 0`)
	was = eval[int](p, seen)
	b.task("Another critical task", "--priority", "critical")
	p.has("32")
	p.until(seen + ` === ` + fmt.Sprint(was))
	p.quiet()
}

// A card keeps the focus while its text changes.
func TestFocusedCardStays(t *testing.T) {
	browser(t)
	b := newBusy(t)
	p := openBrowser(t, serve(t, b.home, b.dir))
	p.looks(1280, 800, "light")
	p.open("/")
	p.until(`[...document.querySelectorAll(".card")].find((card) => card.querySelector(".why").innerText.startsWith("login.go"))`)
	eval[bool](p, `[...document.querySelectorAll(".card")].find((card) => card.querySelector(".why").innerText.startsWith("login.go")).querySelector("a").focus(), true`)
	for _, tree := range []string{b.ann, b.bob} {
		edit(t, tree, "export.go", "// "+tree)
	}
	p.until(`[...document.querySelectorAll(".card .why")].find((why) => why.innerText.includes("more file"))`)
	if got := eval[string](p, `document.activeElement.closest(".card")?.querySelector(".why").innerText || "elsewhere"`); !strings.Contains(got, "more file") {
		t.Errorf("the keyboard is at %q", got)
	}
	p.quiet()
}

// A page shows what to do when the server has ended, and reconnects when another tab has the new server's address.
func TestServerStartedAgain(t *testing.T) {
	browser(t)
	b := newBusy(t)
	s := serve(t, b.home, b.dir)
	p := openBrowser(t, s)
	p.looks(390, 800, "light")
	p.open("/board?open=task:" + b.limit) // a panel, which covers the view on a phone
	p.has("token lost on retry")
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.has("start agit web again") // in sight
	p.until(`document.title.startsWith("stale")`)
	if err := s.cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(s.base, "http://"), ":")
	again := serve(t, b.home, b.dir, "--port", port)
	p.has("one of an earlier run")
	other, end := chromedp.NewContext(p.ctx)
	t.Cleanup(end)
	if err := chromedp.Do(other, chromedp.Navigate(again.base+"/#t="+again.token)); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector(".live.good") && !document.querySelector(".problem")`)
	b.task("Made after it began again")
	p.do(chromedp.Click(chromedp.CSS(".panel .close")))
	p.has("Made after it began again")
}

// With several repositories, worktrees and files are named with theirs; right-to-left names keep their order; buttons name their
// subject; and needs show the next step.
func TestSeveralRepositories(t *testing.T) {
	browser(t)
	b := newBusy(t)
	lib := filepath.Join(filepath.Dir(b.dir), "lib")
	b.at(filepath.Dir(b.dir), "git", "clone", "--quiet", b.dir, lib)
	b.run("agit", "add", lib, "--name", "lib", "--quiet")
	tree := b.run("agit", "spawn", "lib", "--agent", "חנה", "--task", "דף הכניסה", "--quiet", "--jq", ".path")
	edit(t, tree, "login.go", "// here too")
	b.at(tree, "git", "commit", "--quiet", "-am", "Log in")
	b.at(tree, "agit", "finish", "--agent", "חנה", "--summary", "done", "--quiet")
	p := openBrowser(t, serve(t, b.home, b.dir, "--actions"))
	p.looks(1280, 800, "light")
	p.open("/?project=")
	p.has("app/login-page")
	p.has("lib/דף-הכניסה")
	p.has("login.go 5 with")
	in := eval[[]int](p, `[...[...document.querySelectorAll(".card")].find((card) => card.innerText.includes("to review")).querySelectorAll(".meta bdi")].map((name) => Math.round(name.getBoundingClientRect().left))`)
	if len(in) < 2 || !slices.IsSorted(in) {
		t.Errorf("names stand at %v", in)
	}
	if got := eval[string](p, `document.querySelector(".card button").getAttribute("aria-label")`); got != "Accept דף-הכניסה" {
		t.Errorf("the button is called %q", got)
	}
	p.do(chromedp.Click(chromedp.CSS(".card .reason a")))
	p.until(`document.querySelector(".panel .note")?.innerText.includes("What to do: agit diff w-")`)
	p.do(chromedp.Navigate(p.server.base + "/conflicts?project="))
	p.until(`document.querySelector(".live.good")`)
	p.has("app/login.go")
	p.sound("/conflicts of several repositories")
	if err := os.Rename(lib, lib+"-moved"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/conflicts"} { // a repository that is not scanned is named, with the reason
		p.do(chromedp.Navigate(p.server.base + path + "?project="))
		p.until(`document.querySelector(".problems")?.innerText.includes("lib: the folder of repository")`)
	}
	p.quiet()
}

// Where the system chooses the colours, lines mark the open tab and the active row.
func TestForcedColours(t *testing.T) {
	browser(t)
	b := newBusy(t)
	p := openBrowser(t, serve(t, b.home, b.dir))
	p.looks(1280, 800, "light")
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "forced-colors", Value: "active"}}}); err != nil {
		t.Fatal(err)
	}
	p.open("/board")
	p.has("Rate limit")
	border := `((tab) => getComputedStyle(tab).borderBottomColor)`
	if eval[bool](p, border+`(document.querySelector(".tabs [aria-current]")) === `+border+`(document.querySelector(".tabs a:not([aria-current])"))`) {
		t.Error("the open tab looks like the others")
	}
	p.do(chromedp.Focus(chromedp.CSS("#lane-waits")))
	p.press("j")
	p.until(`getComputedStyle(document.querySelector("#lane-waits .active")).outlineStyle === "solid" && getComputedStyle(document.querySelector("#lane-waits .active")).outlineWidth === "2px"`)
}
