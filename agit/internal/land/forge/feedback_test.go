package forge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// playing replaces a forge's program by a shell script, and records its calls.
func playing(t *testing.T, script string) (tool, func() string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "program")
	gittest.WriteProgram(t, path, "#!/bin/sh\necho \"$*\" >> '"+dir+"/asked'\ncase \"$*\" in\n"+script+"\n*) echo \"unexpected: $*\" >&2; exit 9 ;;\nesac\n")
	return tool{name: path, host: "forge.example.com", dir: dir}, func() string {
		asked, err := os.ReadFile(filepath.Join(dir, "asked"))
		if err != nil {
			t.Fatal(err)
		}
		return string(asked)
	}
}

func TestGithubJob(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/acme/app/actions/runs/12/job/34":       "34",
		"https://github.com/acme/app/actions/runs/12/job/34?pr=7":  "34",
		"https://github.com/acme/app/actions/runs/12":              "",
		"https://github.com/acme/app/actions/runs/12/job/--log":    "",
		"https://ci.example.com/job/34":                            "",
		"":                                                         "",
		"https://ghe.example.com/acme/app/actions/runs/1/job/0099": "0099",
	} {
		if got := githubJob(address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
}

// Only the end of a log counts, in whole lines, without secrets and terminal control sequences.
func TestEndOfALog(t *testing.T) {
	t.Parallel()
	if got := endOf([]byte("\x1b[31mred\x1b[0m\r\npassword=hunter2secret\r\n\xffend\n\n")); got != "red\npassword=[redacted password]\nend" {
		t.Errorf("%q", got)
	}
	long := endOf([]byte(strings.Repeat("a line of some length\n", 9000) + "the last"))
	if len(long) > logEnd || len(long) < logEnd-30 || !strings.HasPrefix(long, "a line") || !strings.HasSuffix(long, "\nthe last") {
		t.Errorf("%d bytes: %.30q", len(long), long)
	}
	if got := endOf([]byte(strings.Repeat("x", 2*logEnd))); len(got) != logEnd {
		t.Errorf("a line without end: %d bytes", len(got))
	}
}

// An agent gets all checks that failed at once, each with its log where the forge keeps one.
func TestFailed(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	p := PullRequest{Repo: "app", Forge: GitHub, Number: 7}
	f.hub.ran = results{running: true, failed: []failedCheck{{"test", "1"}}}
	if got, err := f.store.Failed(t.Context(), p); err != nil || got != nil {
		t.Errorf("while others run: %v, %v", got, err)
	}
	f.hub.ran = results{failed: []failedCheck{{"test\x1b[2J", "1"}, {"lint", ""}, {"vet", "2"}, {"more", "3"}}}
	f.hub.logs = map[string][]byte{"1": []byte("it broke\n")}
	got, err := f.store.Failed(t.Context(), p)
	want := []Check{{Name: "test", Log: "it broke"}, {Name: "lint", Why: "the forge keeps no log of it"}, {Name: "vet"}, {Name: "more", Why: "left out, for length"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	f.hub.logErr = fault.Provider(nil, "it was deleted")
	if got, err := f.store.Failed(t.Context(), p); err != nil || got[0].Why != "its log could not be read: it was deleted" || got[0].Log != "" {
		t.Errorf("%+v, %v", got, err)
	}
	f.hub.logErr = fault.Provider(errLimited, "too often")
	if _, err := f.store.Failed(t.Context(), p); !Limited(err) {
		t.Errorf("a forge that wants to be left alone: %v", err)
	}
}

// People's words are bounded, and hold no secrets and no hidden characters.
func TestComments(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.hub.words = []Comment{{ID: "1", Author: "mona\n", Text: " token ghp_" + strings.Repeat("a1B2", 9) + " \x1b]0;x\x07leaks "}, {ID: "2", Text: " \n"}, {ID: "3", Text: strings.Repeat("ä", 5000)}}
	got, err := f.store.Comments(t.Context(), PullRequest{Repo: "app", Forge: GitHub, Number: 7})
	worktreetest.Must(t, err)
	if len(got) != 2 || got[0].Author != "mona" || got[0].Text != "token [redacted GitHub token] leaks" || len(got[1].Text) > commentText+3 {
		t.Errorf("%+v", got)
	}
}

// Each thing handed to an agent is noted once. Rounds count from where it last gave up.
func TestHanded(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.work("login.go")
	out, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref})
	worktreetest.Must(t, err)
	var fresh []bool
	rounds := 0
	err = f.DB.Write(t.Context(), registry.Scope{Project: f.w.ProjectID}, func(tx *registry.Tx) error {
		for _, h := range []Handed{{HandedChecks, "a", "a"}, {HandedChecks, "a", "a"}, {HandedConflict, "a", "a"}, {HandedComment, "1", "a"}, {HandedComment, "1", "b"}, {HandedMerge, "a", "a"}} {
			one, err := f.store.Hand(tx, out.PullRequest, h)
			if err != nil {
				return err
			}
			fresh = append(fresh, one)
		}
		handed, err := HandedOf(tx, out.ID)
		rounds = Rounds(handed)
		if more := Rounds(append(handed, Handed{Kind: HandedGaveUp}, Handed{Kind: HandedChecks})); more != 1 {
			t.Errorf("after it gave up: %d", more)
		}
		return err
	})
	worktreetest.Must(t, err)
	if diff := cmp.Diff([]bool{true, false, true, true, false, true}, fresh); diff != "" || rounds != 2 {
		t.Error(diff, rounds)
	}
}

// A forge is asked once to merge a commit by itself, and again for the next commit or after a refusal.
func TestAutoMerge(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.work("login.go")
	out, err := f.store.Open(t.Context(), Request{Worktree: f.w.Ref})
	worktreetest.Must(t, err)
	ask := func(head string) (bool, error) { return f.store.AutoMerge(t.Context(), f.w, out.PullRequest, head) }
	f.hub.err = fault.Provider(nil, "it is not allowed here")
	if asked, err := ask("a"); asked || err == nil {
		t.Error("a refusal counts as asked")
	}
	f.hub.err = nil
	for _, c := range []struct {
		head  string
		asked bool
	}{{"a", true}, {"a", false}, {"b", true}} {
		if asked, err := ask(c.head); err != nil || asked != c.asked || asked && f.hub.merging != c.head {
			t.Errorf("%s: %v, %v", c.head, asked, err)
		}
	}
}

// Whatever stands in the way is named first.
func TestStands(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]PullRequest{
		"waits for checks":                {State: Open, Checks: ChecksRunning, Review: ReviewRequired, Draft: true},
		"has checks that failed":          {State: Open, Checks: ChecksFailed, Mergeable: MergeConflicts},
		"conflicts with main":             {State: Open, Target: "main", Mergeable: MergeConflicts, Review: ReviewChanges},
		"has a review that wants changes": {State: Open, Review: ReviewChanges, Checks: ChecksRunning},
		"waits for a review":              {State: Open, Review: ReviewRequired, Checks: ChecksPassed, Mergeable: MergeBlocked},
		"is a draft":                      {State: Open, Draft: true, Review: ReviewRequired, Mergeable: MergeBlocked},
		"waits to be merged":              {State: Open, Mergeable: MergeReady},
		"was merged":                      {State: Merged, Checks: ChecksFailed},
		"was closed without a merge":      {State: Closed, Checks: ChecksFailed},
	} {
		p.Number = 7
		if got := p.Stands(); got != "pull request #7 "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for _, p := range []PullRequest{{State: Open}, {State: Open, Mergeable: MergeUnknown}} { // just pushed
		if got := p.Stands(); got != "pull request #0 waits for checks" {
			t.Errorf("%q", got)
		}
	}
}

func TestLimited(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]bool{
		"'') echo 'GraphQL: API rate limit already exceeded for user ID 1' >&2; exit 1 ;;": true,
		"'') echo 'HTTP 429: Too Many Requests' >&2; exit 1 ;;":                            true,
		"'') echo 'HTTP 500' >&2; exit 1 ;;":                                               false,
	} {
		p, _ := playing(t, script)
		if _, err := p.run(t.Context(), "", ""); err == nil || Limited(err) != want {
			t.Errorf("%s: %v", script, err)
		}
	}
	if Limited(errors.New("x")) || Limited(context.Canceled) {
		t.Error("any error counts")
	}
}

func TestEndOfText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		s    string
		most int
		want string
	}{{"ab\ncd", 5, "ab\ncd"}, {"ab\ncd", 4, "cd"}, {"abcd", 2, "cd"}, {"äb", 2, "b"}} {
		if got := Tail(c.s, c.most); got != c.want {
			t.Errorf("%q, %d: %q", c.s, c.most, got)
		}
	}
}
