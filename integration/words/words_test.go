package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]string{
		"X is no number.":                            "X is no number",
		"There is no number.":                        "",
		"there is no task, which is no error":        "which is no error",
		"It is no longer a number.":                  "",
		"No one is there who asks.":                  "",
		"the file is not there":                      "is not there",
		"as if it were there, and open":              "were there,",
		"Is there a task that was there?":            "",
		"f gives back a name":                        "gives back",
		"give --agent NAME":                          "",
		"nobody knows":                               "nobody",
		"a lock to be had":                           "to be had",
		"it seldom fails":                            "seldom",
		"It shall wait.":                             "shall",
		"It says so.":                                "says so",
		"a list, and so on":                          "and so on",
		"Without one, it waits.":                     "Without one,",
		"Without a gate, it lands.":                  "",
		"two, of which one is free":                  ", of which",
		"longer than nothing":                        "longer than nothing",
		"the worker ends a claim":                    "ends a claim",
		"the row says that it is done":               "the row says",
		"its own table tells of it":                  "its own table tells",
		"a file knows":                               "a file knows",
		"the agent says that it is done":             "",
		"the person who reads the row says it":       "the row says", // a relative clause hides the subject
		"What clients send is checked.":              "What",
		"What is checked?":                           "",
		"What to do about it":                        "",
		"Say what clients send.":                     "",
		"One that waits is told.":                    "One that",
		"One worktree waits.":                        "",
		"Whoever waits is told.":                     "Whoever",
		"Claim leases the first ready task to agent": "",
	} {
		out, _ := inSentence(sentence)
		if got := strings.Join(out, "|"); got != want {
			t.Errorf("%q: %q, want %q", sentence, got, want)
		}
	}
}

func TestSubjectsOfCommits(t *testing.T) {
	t.Parallel()
	for subject, good := range map[string]bool{
		"Keep a retried report from overwriting a task's duration": true,
		"Process a file":            true,
		"Embed the page":            true,
		"Added a file":              false,
		"Adds a file":               false,
		"Adding a file":             false,
		"add a file":                false,
		"Add a file.":               false,
		"Say how long it takes":     false,
		"Add what nobody knows":     false,
		"Add " + longText(68):       true,
		"Add " + longText(69):       false,
		"Add " + longText(66) + "é": true,
	} {
		if why := inSubject(subject); (len(why) == 0) != good {
			t.Errorf("%q: %q", subject, why)
		}
	}
}

func longText(n int) string { return strings.Repeat("x", n) }

func shown(all []finding) (lines []string) {
	for _, f := range all {
		lines = append(lines, fmt.Sprintf("%d %s", f.line, f.out))
	}
	return lines
}

func TestGo(t *testing.T) {
	t.Parallel()
	const text = `// Package p: nobody reads this.
package p

import "fmt"

// F is a function. What it
// prints is long; and it
// gives a name.
//
//	nobody reads code
func F() error {
	/* a block where
	nobody looks */
	fmt.Println("nobody") // one word is data
	fmt.Println("SELECT nobody FROM nowhere")
	return fmt.Errorf("the file is not there: %w", nil)
}

const Long = ` + "`first line\nnobody is on the second line`\n"
	want := []string{"1 nobody", "8 gives", "6 What", "13 nobody", "16 is not there", "20 nobody"}
	if diff := cmp.Diff(want, shown(inGo("p.go", []byte(text)))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	const test = `package p

func TestNobodyKnows(t *testing.T) {
	t.Run("nobody knows", func(t *testing.T) {})
	t.Error("nobody is data here")
}
`
	if diff := cmp.Diff([]string{"3 Nobody", "4 nobody"}, shown(inGo("p_test.go", []byte(test)))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	const text = `# What must work

What a reader sees
is here. It
gives an answer.

- **What** an item begins with
- a word as "nobody" in quotes, and ` + "`nobody`" + ` in code

| nobody | reads tables |

` + "```\nnobody reads code\n```\n"
	if diff := cmp.Diff([]string{"3 What", "5 gives", "7 What"}, shown(inMarkdown("p.md", []byte(text)))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFilesThatAreRead(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"agit/main.go": true, "docs/agents.md": true, "README.md": true,
		"docs/style.md": false, "docs/cli/agit.md": false, "integration/testdata/x.go": false, "testdata/x.go": false, "agit/internal/web/static/app.js": false,
	} {
		if got := reader(file) != nil; got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}

// The lines and subjects of a branch are read. Places on main are listed and are not an error.
func TestRun(t *testing.T) {
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com"} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	says := func(want ...string) {
		t.Helper()
		var out bytes.Buffer
		err := run(t.Context(), nil, &out)
		if (err != nil) != (len(want) > 0) || strings.Count(out.String(), "\n") != max(len(want), 0) {
			t.Fatalf("%v\n%s", err, &out)
		}
		for _, part := range want {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%q is missing:\n%s", part, &out)
			}
		}
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("page.md", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("add", ".")
	}
	git("init", "-q", "-b", "main")
	write("Nobody wrote this before.\n")
	git("commit", "-qm", "First")
	write("Nobody wrote this before.\n\n\n")
	git("commit", "-qm", "Make room")
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	git("switch", "-qc", "work")
	write("Nobody wrote this before.\n\nIt gives a name.\n")
	git("commit", "-qm", "Added a line")
	says(`page.md:3: "gives"`, "in the imperative")
	git("update-ref", "refs/remotes/origin/main", "HEAD")
	var out bytes.Buffer
	if err := run(t.Context(), nil, &out); err != nil || !strings.Contains(out.String(), `page.md:3: "gives"`) || !strings.HasSuffix(out.String(), "1 places on main that are not in the words of docs/style.md\n") {
		t.Errorf("%v\n%s", err, &out)
	}
	write("Nobody wrote this before.\n\nIt returns a name.\n")
	git("commit", "-qm", "Write it plainly")
	says()
}

// A line that is older than the check is not read.
func TestLinesBeforeTheCheck(t *testing.T) {
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.com",
		"GIT_COMMITTER_NAME": "Ann", "GIT_COMMITTER_EMAIL": "ann@example.com"} {
		t.Setenv(name, value)
	}
	t.Chdir(t.TempDir())
	commit := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"add", "."}, {"commit", "-qm", "Add " + name}} {
			if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
	}
	if out, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	commit("one.md", "One.\n")
	commit("two.md", "Nobody.\n")
	commit(birth, "package main\n")
	if err := run(t.Context(), []string{"HEAD~2"}, io.Discard); err != nil {
		t.Error(err)
	}
	commit("three.md", "Nobody.\n")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"HEAD~3"}, &out); err == nil || !strings.HasPrefix(out.String(), "three.md:1:") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%v\n%s", err, &out)
	}
}

func FuzzGo(f *testing.F) {
	f.Add([]byte("package p\n// What is it. Nobody.\nvar x = `a b\nc`\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := bytes.Count(text, []byte("\n")) + 1
		for _, all := range [][]finding{inGo("p.go", text), inGo("p_test.go", text), inMarkdown("p.md", text)} {
			for _, found := range all {
				if found.line < 1 || found.line > lines {
					t.Errorf("line %d of %d", found.line, lines)
				}
			}
		}
	})
}
