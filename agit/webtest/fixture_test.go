package webtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Texts that would run as code, or that would break a page by markup or overflow.
var hostileTexts = []string{
	`<script>window.pwned=1</script>`,
	`"><img src=x onerror=window.pwned=2>`,
	`javascript:window.pwned=3`,
	`{{constructor.constructor("window.pwned=4")()}}`,
	"right to left \u202e gnp.exe \u2066 and \u200b nothing",
	strings.Repeat("wide", 90),
	"日本語の名前 العربية 👩‍👩‍👧‍👦 ẛ̣",
}

// busy is a project with one of everything that the page shows.
type busy struct {
	*project
	login, sso, after, limit, failed string // tasks
	ann, bob, none                   string // worktrees' folders; the last has no agent
	memory                           string // id
}

func newBusy(t testing.TB) *busy {
	t.Helper()
	b := &busy{project: newProject(t)}
	b.run("agit", "epic", "create", "Accounts", "--id", "E-1", "--quiet")
	b.login = b.task("Login page", "--priority", "high", "--epic", "E-1")
	b.sso = b.task("Single sign-on", "--epic", "E-1")
	b.after = b.task("Sessions that end", "--depends-on", b.login)
	b.task("Log out everywhere", "--depends-on", b.after)
	b.limit = b.task("Rate limit")
	b.run("agit", "bug", "report", "token lost on retry", "--severity", "high", "--blocks", b.limit)
	b.failed = b.task("Move the search")
	b.run("agit", "tasks", "app", "--claim", b.failed, "--agent", "eve")
	b.run("agit", "tasks", "app", "--fail", b.failed, "--agent", "eve", "--result", "the index has no German stemmer")
	done := b.task("First step")
	b.run("agit", "tasks", "app", "--claim", done, "--agent", "ann")
	b.run("agit", "tasks", "app", "--complete", done, "--agent", "ann")
	b.ann, b.bob = b.spawn("ann", b.login), b.spawn("bob", b.sso)
	edit(t, b.ann, "login.go", "// ann was here")
	b.at(b.ann, "git", "commit", "--quiet", "-am", "Log in")
	edit(t, b.bob, "login.go", "// bob was here")
	b.none = b.run("agit", "spawn", "app", "--task", "Try something", "--quiet", "--jq", ".path")
	b.memory = b.run("memoryd", "remember", "Dates are stored in UTC", "--type", "decision", "--cite", "login.go:3", "--agent", "ann", "--quiet", "--jq", ".id")
	b.run("memoryd", "session", "start", "--agent", "ann", "--quiet")
	b.run("memoryd", "session", "note", "--agent", "ann", "--type", "decision", "Retry with jitter", "--quiet")
	b.run("pmsync", "ticket", "create", "Links expire", "--key", "APP-7", "--description", "Acceptance Criteria:\n- [ ] after a day\n- [ ] says so", "--quiet")
	return b
}

// edit replaces the fifth line of a file.
func edit(t testing.TB, dir, name, line string) {
	t.Helper()
	path := filepath.Join(dir, name)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(content), "\n")
	lines[4] = line + "\n"
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
