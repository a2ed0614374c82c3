package assignment

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/obstacle"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/registry"
)

func TestFilesOfSecrets(t *testing.T) {
	for file, want := range map[string]bool{
		".env": true, "api/.env": true, ".env.local": true, ".env.production.local": true, ".netrc": true, "deploy/id_ed25519": true,
		".env.example": false, ".env.test": false, ".npmrc": false, "id_ed25519.pub": false, "env": false, "x.env": false, ".envrc": false, "local": false,
	} {
		if got := keepsSecrets(file); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}

func TestCommitMessage(t *testing.T) {
	long := strings.Repeat("word ", 30)
	task := worktree.Worktree{Task: "Log in", TaskID: "t-1", Branch: "agit/log-in"}
	for name, c := range map[string]struct {
		w              worktree.Worktree
		given, summary string
		want           string
	}{
		"given":                {task, "Mine", "what I did", "Mine"},
		"of the task":          {task, "", "", "Log in\n\nTask: t-1"},
		"and its summary":      {task, "", "With a form.", "Log in\n\nWith a form.\n\nTask: t-1"},
		"of the summary":       {worktree.Worktree{Branch: "b"}, "", "First line\nSecond line", "First line\n\nFirst line\nSecond line"},
		"a summary once":       {worktree.Worktree{Branch: "b"}, "", "Short", "Short"},
		"of the branch":        {worktree.Worktree{Branch: "agit/x"}, "", "", "Work on agit/x"},
		"of a task's one line": {worktree.Worktree{Task: "Log in\nwith a form", Branch: "b"}, "", "", "Log in"},
	} {
		if got := message(c.w, c.given, c.summary); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if first, _, _ := strings.Cut(message(worktree.Worktree{Task: long}, "", ""), "\n"); len([]rune(first)) > subjectLength {
		t.Errorf("the subject has %d characters: %q", len([]rune(first)), first)
	}
}

// The obstacles to finishing work are named, the first thing to do first.
func TestRefuse(t *testing.T) {
	w := worktree.Worktree{Ref: "w-1", Branch: "agit/x", Path: "/x"}
	own := git.Head{OID: "0123456789abcdef", Ref: "refs/heads/agit/x"}
	edited := git.StatusEntry{Kind: git.Changed, Worktree: 'M', Submodule: "N...", Path: "a.go"}
	for name, c := range map[string]struct {
		at   state
		want string
	}{
		"in a rebase, with a detached HEAD":  {state{underway: "a rebase", head: git.Head{OID: own.OID}}, "a rebase is in progress"},
		"the branch was renamed":             {state{head: git.Head{OID: own.OID, Ref: "refs/heads/better"}}, "does not exist; branch better is checked out in \"/x\": `git branch -m better agit/x`"},
		"the branch is gone, detached":       {state{head: git.Head{OID: own.OID}}, "`git switch -c agit/x` in \"/x\" makes it again from commit 0123456789ab"},
		"the branch is gone, on it":          {state{head: git.Head{Ref: own.Ref}, changes: []git.StatusEntry{edited}}, "does not exist; `agit doctor`"},
		"detached":                           {state{branch: own.OID, head: git.Head{OID: own.OID}}, "commit 0123456789ab checked out, not its branch agit/x"},
		"another branch":                     {state{branch: own.OID, head: git.Head{OID: own.OID, Ref: "refs/heads/other"}}, "has branch other checked out"},
		"conflicts before what is edited":    {state{branch: own.OID, head: own, changes: []git.StatusEntry{edited, {Kind: git.Unmerged, Path: "b.go"}}}, "1 file in conflict: b.go"},
		"submodules, which no commit keeps":  {state{branch: own.OID, head: own, changes: []git.StatusEntry{edited, {Kind: git.Changed, Submodule: "S..U", Path: "lib"}}}, "changes inside 1 submodule: lib"},
		"not committed, and what is ignored": {state{branch: own.OID, head: own, changes: []git.StatusEntry{edited, {Kind: git.Ignored, Path: "x.log"}}}, "1 file is not committed: a.go"},
	} {
		err := c.at.refuse(t.Context(), w, false)
		if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A commit of everything leaves out files that the project should not keep, and reports them before git is called.
func TestCommitRefuses(t *testing.T) {
	for path, want := range map[string]string{"vendor/lib/": "holds 1 repository of its own, which a commit would not keep: vendor/lib/", "api/.env": "keep passwords and keys in, and git does not ignore it: api/.env"} {
		at := state{changes: []git.StatusEntry{{Kind: git.Untracked, Path: path}, {Kind: git.Untracked, Path: "new.go"}}}
		if err := (&Store{}).commit(t.Context(), &at, worktree.Worktree{Ref: "w-1"}, "x"); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A person or an agent must decide to commit what would stay in everyone's clone for good.
func TestCommitRefusesLargeFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, size := range map[string]int64{"fits": largestFile, "large": largestFile + 1} {
		file, err := os.Create(filepath.Join(dir, name))
		if err == nil {
			err = errors.Join(file.Truncate(size), file.Close()) // sparse: it takes no space
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := tooLarge(file.Name()); got != (name == "large") {
			t.Errorf("%s: too large: %v", name, got)
		}
	}
	for name, kind := range map[string]git.StatusEntry{"new": {Kind: git.Untracked}, "changed": {Kind: git.Changed, Index: '.', Worktree: 'M'}} {
		kind.Path = "large"
		at := state{changes: []git.StatusEntry{kind, {Kind: git.Untracked, Path: "fits"}}}
		err := (&Store{}).commit(t.Context(), &at, worktree.Worktree{Ref: "w-1", Path: dir}, "x")
		if !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), "1 file of more than 100 MB") || !strings.HasSuffix(fault.From(err).Message, ": large") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFinishRequests(t *testing.T) {
	for name, c := range map[string]struct {
		q     FinishRequest
		field string // at fault; "" for none
	}{
		"done":              {FinishRequest{}, ""},
		"done, to a review": {FinishRequest{Outcome: Done, Land: "review"}, ""},
		"failed, and why":   {FinishRequest{Outcome: Failed, Summary: "no access"}, ""},
		"failed":            {FinishRequest{Outcome: Failed}, "summary"},
		"without changes":   {FinishRequest{Outcome: NoChanges}, "summary"},
		"given back":        {FinishRequest{Outcome: Released}, "summary"},
		"another word":      {FinishRequest{Outcome: "finished"}, "status"},
		"another way":       {FinishRequest{Land: "now"}, "land"},
		"a broken summary":  {FinishRequest{Outcome: Failed, Summary: "a\x00b"}, "summary"},
		"a broken message":  {FinishRequest{Message: "a\x00b"}, "message"},
	} {
		err := c.q.check()
		if f := fault.From(err); err == nil && c.field != "" || err != nil && f.Field != c.field {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && c.q.Outcome == "" {
			t.Errorf("%s has no outcome", name)
		}
	}
}

// A caller is told what a landing left undone.
func TestNotesOfALanding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		m    land.Merged
		want []string
	}{
		"nothing": {land.Merged{Removed: true, Commit: "c"}, nil},
		"all of it": {land.Merged{TaskOpen: "a bug blocks it", Left: "others made it", Kept: []obstacle.Obstacle{{Text: "2 files are not committed"}, {Text: "ann is in it"}}},
			[]string{"a bug blocks it", "the worktree stays: others made it", "the worktree was kept: 2 files are not committed", "the worktree was kept: ann is in it"}},
	} {
		if diff := cmp.Diff(c.want, leftBy(c.m)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A folder that others made is finished work only while it is at the very commit that landed from it.
func TestLandedFrom(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	landed := f.Worked("log in")
	tip := f.Tree(landed).Head()
	f.Merge(landed)
	same := worktree.Worktree{Path: landed.Path, Head: tip, Listed: "x"}
	with := func(change func(*worktree.Worktree)) worktree.Worktree {
		w := same
		change(&w)
		return w
	}
	check := func(name string, w worktree.Worktree, want bool) {
		t.Helper()
		err := f.DB.Read(t.Context(), func(tx *registry.Tx) error {
			got, err := landedFrom(tx, f.Repo, w)
			if is := got.ID == landed.ID; is != want || !is && got.Path != w.Path {
				t.Errorf("%s: %+v", name, got)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("unchanged", same, true)
	check("another commit", with(func(w *worktree.Worktree) { w.Head = strings.Repeat("0", 40) }), false)
	check("another folder", with(func(w *worktree.Worktree) { w.Path += "x" }), false)
	check("the main checkout", with(func(w *worktree.Worktree) { w.Marks.Main = true }), false)
	check("with a row", with(func(w *worktree.Worktree) { w.Listed = "" }), false)
	f.Exec(`UPDATE landings SET state = 'returned'`)
	check("a landing that was returned", same, false)
	f.Exec(`DELETE FROM landings`)
	check("no landing", same, false)
	f.Exec(`UPDATE worktrees SET status = 'trashed'`)
	check("a worktree that was removed", same, false)
}

// A session belongs to the agent that is named, wherever this process stands.
func TestPlainEnvironment(t *testing.T) {
	for _, name := range []string{"AGIT_AGENT", "AGIT_REPO", "AGIT_WORKTREE", "AGIT_TASK", "AGIT_HOME"} {
		t.Setenv(name, "x")
	}
	var kept []string
	for _, v := range plainEnvironment() {
		if strings.HasPrefix(v, "AGIT_") && strings.HasSuffix(v, "=x") {
			kept = append(kept, v)
		}
	}
	if !slices.Equal(kept, []string{"AGIT_HOME=x"}) {
		t.Errorf("memoryd is started with %q", kept)
	}
}
