package land

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/checkout"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/git/gittest"
)

// A squash has the message that was given, else that of its only commit, else one of the task and the commits; the others who worked on it
// are named once.
func TestSquashMessage(t *testing.T) {
	t.Parallel()
	of := func(author, message string) commitText { return commitText{Author: author, Message: message} }
	ann, ben := "Ann <ann@x.org>", "Ben <ben@x.org>"
	for name, c := range map[string]struct {
		given, task string
		commits     []commitText
		want        string
	}{
		"nothing":                 {"", "", nil, "Squash branch 'agit/b'\n"},
		"one commit":              {"", "Task", []commitText{of(ann, " One\n\nbody\n")}, "One\n\nbody\n"},
		"two":                     {"", "Task\nand more", []commitText{of(ann, "One\n\nbody\n"), of(ann, "Two\n")}, "Task\n\n* One\n* Two\n"},
		"two, no task":            {"", " \n", []commitText{of(ann, "One\n"), of(ann, "Two\n")}, "Squash branch 'agit/b'\n\n* One\n* Two\n"},
		"given":                   {" Mine \n", "Task", []commitText{of(ann, "One\n"), of(ann, "Two\n")}, "Mine\n"},
		"two people":              {"Mine", "", []commitText{of(ann, "One\n"), of(ben, "Two\n"), of("Ben B <BEN@x.org>", "Three\n")}, "Mine\n\nCo-authored-by: Ben <ben@x.org>\n"},
		"named by a commit":       {"Mine", "", []commitText{of(ann, "One\n\nCo-authored-by: Cyd <cyd@x.org>\nco-AUTHORED-by:Dan <dan@x.org>\n"), of(ben, "Two\n")}, "Mine\n\nCo-authored-by: Cyd <cyd@x.org>\nCo-authored-by: Dan <dan@x.org>\nCo-authored-by: Ben <ben@x.org>\n"},
		"the first, by a commit":  {"Mine", "", []commitText{of(ann, "One\n\nCo-authored-by: Ann <ann@x.org>\n")}, "Mine\n"},
		"named in what was given": {"Mine\n\nCo-authored-by: Ben <ben@x.org>", "", []commitText{of(ann, "One\n"), of(ben, "Two\n"), of("Cyd <cyd@x.org>", "Three\n")}, "Mine\n\nCo-authored-by: Ben <ben@x.org>\nCo-authored-by: Cyd <cyd@x.org>\n"},
		"one commit with another": {"", "", []commitText{of(ann, "One\n\nSigned-off-by: Ann\nCo-authored-by: Ben <ben@x.org>\n")}, "One\n\nSigned-off-by: Ann\nCo-authored-by: Ben <ben@x.org>\n"},
		"without an address":      {"Mine", "", []commitText{of(ann, "One\n\nCo-authored-by: someone\n"), of("", "Two\n")}, "Mine\n"},
		"not UTF-8":               {"", "", []commitText{of(ann, "f\xfcr\n")}, "f?r\n"},
	} {
		m := &merging{o: Request{Message: c.given}, w: worktree.Worktree{Branch: "agit/b", Task: c.task}}
		if diff := cmp.Diff(c.want, m.squashMessage(c.commits)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for message, want := range map[string]bool{"x": false, "Co-authored-by: x": false, "x\n\nCo-authored-by: y": true, "x\n\nSigned: z\nco-authored-by: y": true, "x\n\nsays Co-authored-by: y": false, "x\n\nCo-authored-by: y\n\nz": false} {
		if got := endsInTrailers(message); got != want {
			t.Errorf("%q ends in co-authors: %v", message, got)
		}
	}
}

// Commits are read as git stores them, and written again with their author, date and encoding.
func TestParseCommits(t *testing.T) {
	t.Parallel()
	entry := func(oid, content string) string { return fmt.Sprintf("%s commit %d\n%s\n", oid, len(content), content) }
	got, err := parseCommits([]byte(entry("a1", "tree t1\nparent p1\nparent p2\nauthor Ann > A <ann@x> 1700000000 +0100\ncommitter C <c@x> 1 +0000\nencoding latin1\n\nSubject\n\nbody\n") + entry("a2", "tree t2\nauthor  <> 5 -0800\n\n")))
	want := []commitText{{OID: "a1", Parents: []string{"p1", "p2"}, Tree: "t1", Author: "Ann > A <ann@x>", Date: "1700000000 +0100", Encoding: "latin1", Message: "Subject\n\nbody\n"},
		{OID: "a2", Tree: "t2", Author: " <>", Date: "5 -0800"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatal(diff, err)
	}
	o := got[0].as()
	if diff := cmp.Diff([]string{"GIT_AUTHOR_NAME=Ann > A", "GIT_AUTHOR_EMAIL=ann@x", "GIT_AUTHOR_DATE=@1700000000 +0100"}, o.Env); diff != "" || !slices.Equal(o.Config, []string{"i18n.commitEncoding=latin1"}) {
		t.Error(o.Config, diff)
	}
	if o := got[1].as(); o.Config != nil {
		t.Errorf("%q", o.Config)
	}
	if line := got[0].line(); line != "Subject" {
		t.Error(line)
	}
	for _, broken := range []string{"a1 missing\n", "a1 tree 3\nabc\n", "a1 commit 4\nabc\n", "a1 commit -1\nabc\n", "a1\n", "a1 commit 3\nabc"} {
		if list, err := parseCommits([]byte(broken)); err == nil {
			t.Errorf("%q: %+v", broken, list)
		}
	}
}

// Paths in conflict have the names that people know.
func TestConflictPaths(t *testing.T) {
	t.Parallel()
	got := ConflictPaths([]string{"b.txt", "dir~abc", "a.txt", "a.txt", "x~def", "~abc", "y~other"}, "abc", "def")
	if want := []string{"a.txt", "b.txt", "dir", "x", "y~other", "~abc"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := folders([]string{"a.txt", "b/c.txt", "b/d/e.txt"}); !slices.Equal(got, []string{"b", "b/d"}) {
		t.Errorf("%q", got)
	}
	one, two, tip := strings.Repeat("1", 40), strings.Repeat("2", 40), strings.Repeat("3", 40)
	log := []string{one + " " + tip, "\na.txt", "b.txt", "\n" + one + " " + two, "\nc.txt", one, "d.txt", "\n" + two + " " + tip, "\ne.txt", ""}
	if got := changedByMerge(log, tip); !slices.Equal(got, []string{"a.txt", "b.txt", "e.txt"}) {
		t.Errorf("%q", got)
	}
	for want, o := range map[string]Overlap{"w-1": {Worktree: "w-1"}, "w-1 (agent ann)": {Worktree: "w-1", Agent: "ann"}, "w-1, merged already,": {Worktree: "w-1", Merged: true}, "w-1 (agent ann), merged already,": {Worktree: "w-1", Agent: "ann", Merged: true}} {
		if got := o.Who(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, is := errors.AsType[*MergeConflict](fmt.Errorf("x: %w", &MergeConflict{shown: shown{fault.Conflict("a", "b", "c")}})); !is {
		t.Error("conflicts are not told apart")
	}
}

func raw(status byte, mode, path string) (c git.RawChange) {
	c.Status, c.Mode, c.Path = status, mode, path
	return c
}

// Files, links and folders that git has no copy of are found where a landing would add something.
func TestUntouchable(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for _, file := range []string{"file", "dir/one", "dir/sub/two", "blocks", "tracked", "module/inside", "kept/changed"} {
		at := filepath.Join(top, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("dir", filepath.Join(top, "link")); err != nil {
		t.Skip(err)
	}
	f := workingTree{Path: top}
	adds := func(paths ...string) (all []git.RawChange) {
		for _, p := range paths {
			all = append(all, raw('A', "100644", p))
		}
		return all
	}
	for name, c := range map[string]struct {
		changes []git.RawChange
		want    []string
	}{
		"nothing there":                {adds("new", "new/deep/er", "dir/three"), nil},
		"a file":                       {adds("file"), []string{"file"}},
		"a file, twice":                {adds("file", "file"), []string{"file"}},
		"a folder's files":             {adds("dir"), []string{"dir/one", "dir/sub/two"}},
		"a file for a folder":          {adds("blocks/a", "blocks/b", "blocks/c/d"), []string{"blocks"}},
		"a link for a folder":          {adds("link/a"), []string{"link"}},
		"a link":                       {adds("link"), []string{"link"}},
		"a file that becomes a folder": {append(adds("tracked/a"), raw('D', "", "tracked")), nil},
		"a file that becomes another":  {[]git.RawChange{raw('M', "100644", "file"), raw('D', "", "blocks")}, nil},
		"a submodule's folder":         {[]git.RawChange{raw('A', "160000", "module")}, nil},
		"a folder of changed files":    {append(adds("kept"), raw('D', "", "kept/changed")), nil},
	} {
		if got := f.untouchable(c.changes); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		changes []git.RawChange
		want    bool
	}{
		"all there": {[]git.RawChange{raw('M', "", "file"), raw('A', "", "new")}, false}, "one deleted": {[]git.RawChange{raw('M', "", "file"), raw('M', "", "gone")}, true},
		"one to delete": {[]git.RawChange{raw('D', "", "dir/gone")}, true}, "none": {nil, false},
	} {
		if got := f.missing(c.changes); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The outcome that another process wrote is what Land returns.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	m := &merging{w: worktree.Worktree{Ref: "w-1"}, deed: merged, target: "main"}
	own := errors.New("own")
	for name, c := range map[string]struct {
		o     outcome
		files int
		says  string
		retry bool
	}{
		"an error":               {outcome{err: own}, 0, "own", false},
		"an error after it":      {outcome{err: own, Merged: &Merged{FilesChanged: 3}}, 3, "own", false},
		"red":                    {outcome{Red: &GateFailure{Command: "make", Exit: 2, How: "exit status 2", Lines: []string{"x"}, Log: "log"}}, 0, `worktree "w-1" was not merged: on the merge with main the gate "make" failed: exit status 2`, false},
		"landed, with a problem": {outcome{Merged: &Merged{FilesChanged: 3}, Broken: "the disk is full"}, 3, "the disk is full", false},
		"landed":                 {outcome{Merged: &Merged{FilesChanged: 3}}, 3, "", false},
		"returned":               {outcome{Reason: "it moved"}, 0, `worktree "w-1" was not merged: it moved`, true},
	} {
		out, err := c.o.merged(m)
		switch {
		case out.FilesChanged != c.files || (err == nil) != (c.says == ""):
			t.Errorf("%s: %+v, %v", name, out, err)
		case err != nil && (!strings.HasPrefix(err.Error(), c.says) || fault.From(err).Retryable != c.retry):
			t.Errorf("%s: %v, retry %v", name, err, fault.From(err).Retryable)
		}
	}
	var red *GateFailure
	_, err := (&outcome{Red: &GateFailure{Command: "make", Exit: 2, How: "h", Lines: []string{"x"}, Log: "log"}}).merged(m)
	if !errors.As(err, &red) || red.Worktree != "w-1" || red.Command != "make" || red.Exit != 2 || red.How != "h" || red.Log != "log" || !slices.Equal(red.Lines, []string{"x"}) {
		t.Errorf("%+v", red)
	}
	if o, err := (Landing{}).told(); o != nil || err != nil {
		t.Error(o, err)
	}
	if o, err := (Landing{outcome: `{"reason":"r"}`}).told(); err != nil || o.Reason != "r" {
		t.Error(o, err)
	}
}

// A landing lands with another when one run of a gate can judge both, and one process make both commits.
func TestFits(t *testing.T) {
	t.Parallel()
	a := Landing{State: Running, Target: "main", GateSkipped: "s", host: "h", gateKey: "k", identity: "i"}
	b := a
	b.State = Queued
	if !fits(a, b) {
		t.Error("two of the same do not fit")
	}
	for name, change := range map[string]func(*Landing){
		"state": func(l *Landing) { l.State = Running }, "host": func(l *Landing) { l.host = "x" }, "target": func(l *Landing) { l.Target = "x" },
		"key": func(l *Landing) { l.gateKey = "x" }, "identity": func(l *Landing) { l.identity = "x" }, "skipped": func(l *Landing) { l.GateSkipped = "x" },
	} {
		other := b
		change(&other)
		if fits(a, other) {
			t.Errorf("it fits with another %s", name)
		}
	}
	for _, c := range []struct {
		l    Landing
		want bool
	}{{Landing{batch: 1, State: Running, GateResult: GatePassed}, true}, {Landing{State: Running, GateResult: GatePassed}, false}, {Landing{batch: 1, State: Landed, GateResult: GatePassed}, false}, {Landing{batch: 1, State: Running, GateResult: GateRunning}, false}} {
		if got := c.l.committed(); got != c.want {
			t.Errorf("%+v: %v", c.l, got)
		}
	}
	for state, over := range map[State]bool{Queued: false, Running: false, Landed: true, Returned: true, Cancelled: true} {
		if state.Over() != over {
			t.Errorf("%s is over: %v", state, !over)
		}
	}
	for ahead, want := range map[int]time.Duration{1: 40 * time.Millisecond, 2: 80 * time.Millisecond, 10: 400 * time.Millisecond, 11: 400 * time.Millisecond} {
		if got := pause(ahead); got != want {
			t.Errorf("behind %d: %s", ahead, got)
		}
	}
}

// Where a landing goes, by the branch that was asked for.
func TestAim(t *testing.T) {
	t.Parallel()
	for into, want := range map[string]merging{
		"":                   {target: "main", with: "origin/main", remote: "origin"},
		"main":               {target: "main", with: "origin/main", remote: "origin"},
		"refs/heads/main":    {target: "main", with: "origin/main", remote: "origin"},
		"release":            {target: "release", with: "release", local: true},
		"refs/heads/release": {target: "release", with: "release", local: true},
	} {
		m := &merging{o: Request{Into: into}, w: worktree.Worktree{Branch: "agit/b"}, set: worktree.Settings{DefaultBranch: "main", Remote: "origin"}}
		if err := m.aim(); err != nil || m.target != want.target || m.with != want.with || m.local != want.local || m.remote != want.remote {
			t.Errorf("%q: %s %s %v %q, %v", into, m.target, m.with, m.local, m.remote, err)
		}
	}
	m := &merging{o: Request{Into: "agit/b"}, w: worktree.Worktree{Branch: "agit/b"}}
	if err := m.aim(); !fault.Is(err, fault.KindValidation) {
		t.Error(err)
	}
}

// The row of a landing that failed holds its state and its reason.
func TestEnded(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	m := &merging{w: worktree.Worktree{Ref: "w-1"}, deed: merged}
	refused := m.refusal("it is %s", "late")
	if state, why := m.ended(t.Context(), refused); state != Returned || why != "it is late" {
		t.Errorf("%s: %s", state, why)
	}
	if state, why := m.ended(over, refused); state != Cancelled || why != "cancelled while it was waiting or running" {
		t.Errorf("%s: %s", state, why)
	}
	if err := m.told(t.Context(), refused); !errors.Is(err, refused) || strings.Contains(err.Error(), "interrupted") {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		moved, unsure bool
		ctx           context.Context
		cause         error
		interrupted   bool
	}{
		"interrupted": {false, false, over, context.Canceled, true}, "moved": {true, false, over, context.Canceled, false}, "unsure": {false, true, over, context.Canceled, false},
		"another cause": {false, false, over, refused, false}, "not interrupted": {false, false, t.Context(), context.Canceled, false},
	} {
		m.moved, m.unsure = c.moved, c.unsure
		err := m.told(c.ctx, c.cause)
		if got := strings.Contains(err.Error(), "interrupted before it was done"); got != c.interrupted || !errors.Is(err, c.cause) || got && !fault.From(err).Retryable {
			t.Errorf("%s: %v", name, err)
		}
	}
	for want, l := range map[string]Landing{`worktree "w-1" was asked to land already by ann and is queued`: {Agent: "ann", State: Queued}, `worktree "w-1" was asked to land already and is running`: {State: Running}} {
		if err := asked(m.w, l); fault.From(err).Message != want || !fault.From(err).Retryable {
			t.Error(err)
		}
	}
	if text, err := m.gateText(); text != "" || err != nil {
		t.Error(text, err)
	}
	m.gate = []string{"make", "curl password=hunter2secret"}
	if text, err := m.gateText(); !strings.HasPrefix(text, `["make","curl password=[redacted`) || err != nil {
		t.Error(text, err)
	}
}

// Contents have git's names, and records of git's are read.
func TestTreesAndBlobs(t *testing.T) {
	t.Parallel()
	if got := blobName([]byte("hello\n"), 40); got != "ce013625030ba8dba906f756967f9e9ca394464a" {
		t.Error(got)
	}
	if got := blobName([]byte("hello\n"), 64); got != "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4" {
		t.Error(got)
	}
	if got := parseTree([]string{"100644 blob o1\ta b", "160000 commit o2\tm", "120000 blob o3\tl", "100644 blob o4", "100644 o5\tx"}); !slices.Equal(got, []treeFile{{"100644", "o1", "a b"}, {"120000", "o3", "l"}}) {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff([]string{"b", "d"}, parseFilters([]string{"a", "filter", "unspecified", "b", "filter", "lfs", "c", "filter", "unset", "d", "working-tree-encoding", "UTF-16", "e", "filter", "set", "f", "filter"})); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]bool{".gate": true, ".gate-1": true, ".gates": false, "gate": false, ".merge-w-1": false} {
		if got := IsKept(name); got != want {
			t.Errorf("%s is kept: %v", name, got)
		}
	}
	r := repo.Repo{Path: filepath.FromSlash("/repo"), UID: "u"}
	for dir, want := range map[string]string{"/repo/.worktrees": ".gate", "/elsewhere": ".gate-u", "/": ".gate-u"} {
		if got := keptFolder(r, filepath.FromSlash(dir)); got != want {
			t.Errorf("%s: %s", dir, got)
		}
	}
}

// A kept checkout may stay when it is on no branch and has no submodules.
func TestKeeps(t *testing.T) {
	t.Parallel()
	at, gitDir := t.TempDir(), t.TempDir()
	scratch := &git.Repo{GitDir: gitDir}
	head := func(text string) {
		if err := os.WriteFile(filepath.Join(gitDir, "HEAD"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if keeps(at, scratch) {
		t.Error("without a HEAD")
	}
	head("ref: refs/heads/main\n")
	if keeps(at, scratch) {
		t.Error("on a branch")
	}
	head(strings.Repeat("a", 40) + "\n")
	if !keeps(at, scratch) {
		t.Error("a detached one does not stay")
	}
	if err := os.WriteFile(filepath.Join(at, ".gitmodules"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if keeps(at, scratch) {
		t.Error("with submodules")
	}
}

// Files on the disk are compared with their objects: bytes, links, folders, and files that do not exist.
func TestDiffering(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const hello, link = "ce013625030ba8dba906f756967f9e9ca394464a", "1d4ee2b6f4a0a6b1e8a7e5a6a1b6e3f0d3a1c2b4"
	for name, content := range map[string]string{"same": "hello\n", "other": "hello", "dir/deep": "hello\n"} {
		at := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("same", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	target := blobName([]byte("same"), 40)
	files := []treeFile{{"100644", hello, "same"}, {"100644", hello, "other"}, {"100644", hello, "dir/deep"}, {"100644", hello, "missing"}, {"100644", hello, "dir"},
		{"120000", target, "link"}, {"100644", target, "link"}, {"120000", link, "link"}, {"100644", blobName([]byte("hello\n"), 64), "same"}}
	for len(files) < 600 { // several shares
		files = append(files, treeFile{"100644", hello, "same"})
	}
	files = append(files, treeFile{"100644", target, "same"})
	got, err := differing(t.Context(), dir, files)
	if err != nil {
		t.Fatal(err)
	}
	want := []treeFile{files[1], files[3], files[4], files[6], files[7], files[600]}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := differing(over, dir, files); err == nil {
		t.Error("compared without time")
	}
	if _, err := differing(t.Context(), filepath.Join(dir, "nowhere"), files); err == nil {
		t.Error("compared without a folder")
	}
}

// A file that a cut-off git left half written is removed; one with other words, or as long as the whole, stays.
func TestDropPart(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	commit := r.Commit("one", "a.txt", "one\ntwo\n")
	f, g := workingTree{Path: r.Dir}, r.Repo()
	for content, stays := range map[string]bool{"one\n": false, "": false, "one\ntwo\n": true, "one\ntwo\nmore": true, "two\n": true} {
		r.Write("a.txt", content)
		if err := f.dropPart(t.Context(), g, commit, "a.txt"); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(r.Path("a.txt")); (err == nil) != stays {
			t.Errorf("%q stays: %v", content, err == nil)
		}
	}
	r.Write("a.txt", "x")
	if err := f.dropPart(t.Context(), g, commit, "b.txt"); err != nil {
		t.Error(err)
	}
	r.Write("b.txt", "x")
	if err := f.dropPart(t.Context(), g, commit, "b.txt"); err == nil {
		t.Error("a file that is in no commit is compared")
	}
}

// The files that following a merge writes, with their folders, each once.
func TestFilesThatFollow(t *testing.T) {
	t.Parallel()
	f := workingTree{Path: filepath.FromSlash("/w"), GitDir: filepath.FromSlash("/g")}
	got := f.files([]git.RawChange{raw('A', "", "a"), raw('A', "", "d/e/b"), raw('A', "", "d/c")})
	for i := range got {
		got[i] = filepath.ToSlash(got[i])
	}
	if want := "/g /g/index /w/a /w /w/d/e/b /w/d/e /w/d /w/d/c"; strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
	if f.copyName() != "agit-" || filepath.ToSlash(f.copyFile()) != "/g/agit-.index" {
		t.Error(f.copyName(), f.copyFile())
	}
	if got := (journal{Target: "refs/heads/a/b"}).branch(); got != "a/b" {
		t.Error(got)
	}
}

// A merge is refused when its files and a little more do not fit on the disk.
func TestRoom(t *testing.T) {
	t.Parallel()
	for sizes, want := range map[string]uint64{"": spareRoom, "100\n": spareRoom + 100, "100\n20\n3\n": spareRoom + 123, "o1 missing\n7\n": spareRoom + 7, "-5\n": spareRoom, "9223372036854775808\n1\n": spareRoom + 1} {
		if got := roomNeeded(sizes); got != want {
			t.Errorf("%q: %d, want %d", sizes, got, want)
		}
	}
	m := &merging{w: worktree.Worktree{Ref: "w-1"}, deed: updated}
	if err := errors.Join(m.refuseRoom("/x", 7, 8), m.refuseRoom("/x", 7, 7)); err != nil {
		t.Error(err)
	}
	f := fault.From(m.refuseRoom("/x", 5<<20+1, 5<<20))
	if f.Message != `worktree "w-1" was not updated: its files need up to 5 MB in "/x" and the disk has 5 MB left` || !f.Retryable || f.EntityType != "worktree" || f.EntityID != "w-1" {
		t.Errorf("%+v", f)
	}
}

// A move of the branch that git does not report as done has happened, was overtaken, or failed.
func TestAfterFailure(t *testing.T) {
	t.Parallel()
	j := journal{Old: "old", New: "new"}
	for name, c := range map[string]struct {
		now                              string
		readable, over, moved, overtaken bool
	}{
		"cut off after the move":                {"new", true, false, true, false},
		"cut off after the move, interrupted":   {"new", true, true, true, false},
		"cut off before":                        {"old", true, false, false, false},
		"moved by another":                      {"other", true, false, false, true},
		"moved by another, interrupted":         {"other", true, true, false, false},
		"deleted":                               {"", true, false, false, false},
		"unreadable":                            {"", false, false, false, false},
		"unreadable, whatever it is said to be": {"new", false, false, false, false},
	} {
		if moved, overtaken := j.afterFailure(c.now, c.readable, c.over); moved != c.moved || overtaken != c.overtaken {
			t.Errorf("%s: moved %v, overtaken %v", name, moved, overtaken)
		}
	}
}

// The first in line waits as long as configured, but no longer than a twentieth of its gate, and less when no one asks.
func TestLingers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ linger, took, most, still time.Duration }{
		{0, 0, 0, 0}, {time.Second, 0, time.Second, quiet}, {quiet / 2, 0, quiet / 2, quiet / 2}, {time.Second, 10 * time.Second, 500 * time.Millisecond, quiet},
		{time.Second, time.Second, 50 * time.Millisecond, 50 * time.Millisecond}, {time.Second, time.Hour, time.Second, quiet}, {0, time.Hour, 0, 0},
	} {
		if most, still := lingers(c.linger, c.took); most != c.most || still != c.still {
			t.Errorf("%s of a gate of %s: %s and %s, want %s and %s", c.linger, c.took, most, still, c.most, c.still)
		}
	}
}

// A push that failed is refused by the remote, was not answered, or did not reach the remote; only without an answer it may have landed.
func TestNotPushed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause  error
		kind   fault.Kind
		says   string
		unsure bool
		retry  bool
	}{
		"no answer":   {fmt.Errorf("x: %w", checkout.ErrUnsure), fault.KindProvider, `worktree "w-1" was pushed to branch main of remote "origin", which did not answer: whether it landed is not known yet`, true, true},
		"refused":     {fmt.Errorf("x: %w", &checkout.Refused{Words: "protected branch"}), fault.KindConflict, `worktree "w-1" was not merged: remote "origin" refused the push of commit 0123456789ab to branch main: protected branch`, false, false},
		"not reached": {fault.Provider(nil, "the remote is away"), fault.KindProvider, `worktree "w-1" was not merged: the remote is away`, false, true},
	} {
		guest := &merging{}
		m := &merging{w: worktree.Worktree{Ref: "w-1"}, deed: merged, target: "main", remote: "origin", j: journal{New: "0123456789abcdef"}, along: []*merging{guest}}
		err := m.notPushed(c.cause)
		if f := fault.From(err); f.Kind != c.kind || f.Message != c.says || f.Retryable != c.retry {
			t.Errorf("%s: %s, retry %v: %s", name, f.Kind, f.Retryable, f.Message)
		}
		if m.unsure != c.unsure || guest.unsure != c.unsure || errors.Is(err, errUnsure) != c.unsure {
			t.Errorf("%s: unsure %v, its guest %v", name, m.unsure, guest.unsure)
		}
	}
}

// A failure is told in git's words where git said some.
func TestCause(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"no such program": fmt.Errorf("x: %w", &git.Error{Stderr: "fatal: no such program\n"}),
		"it failed":       fault.Operation(&git.Error{Err: errors.New("exit status 1")}, "it failed"),
		"plain":           errors.New("plain"),
	} {
		if got := cause(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A branch moves only to a commit whose tree the gate passed, built on the commit where the branch is; without a gate there is nothing to
// compare.
func TestVerify(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	old := r.Commit("old", "a.txt", "1\n")
	before := r.Git("rev-parse", "HEAD^{tree}")
	middle := r.Commit("middle", "a.txt", "2\n")
	last := r.Commit("last", "a.txt", "3\n")
	tree := r.Git("rev-parse", "HEAD^{tree}")
	beside := r.Git("commit-tree", "-p", middle, "-m", "beside", tree)
	root := r.Git("commit-tree", "-m", "root", tree)
	for name, c := range map[string]struct {
		gate             []string
		tested, from, to string
		want             string
	}{
		"no gate":                        {nil, "", old, last, ""},
		"a gate that did not run":        {[]string{"true"}, "", old, last, "its gate did not run"},
		"what was tested":                {[]string{"true"}, tree, old, last, ""},
		"what was tested, on one commit": {[]string{"true"}, tree, middle, last, ""},
		"another tree":                   {[]string{"true"}, before, old, last, "is not what the gate tested"},
		"onto another commit":            {[]string{"true"}, tree, last, beside, "is not what the gate tested"},
		"a commit without a parent":      {[]string{"true"}, tree, old, root, "is not what the gate tested"},
		"nothing new":                    {[]string{"true"}, tree, last, last, "is not what the gate tested"},
		"no such commit":                 {[]string{"true"}, tree, old, strings.Repeat("0", 40), "read commit"},
	} {
		m := &merging{g: r.Repo(), w: worktree.Worktree{Ref: "w-1"}, gate: c.gate, tested: c.tested, j: journal{Old: c.from, New: c.to}}
		if err := m.verify(t.Context()); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The checkout and the log of a gate are on the disk, with the folders that lead to the log, before a branch moves.
func TestKeptFiles(t *testing.T) {
	t.Parallel()
	kept := &git.Repo{GitDir: filepath.FromSlash("/g")}
	log := filepath.FromSlash("/home/logs/w-1/gate.log")
	for want, m := range map[string]*merging{
		"":                 {},
		"/g/HEAD /g/index": {kept: kept},
		"/home/logs/w-1/gate.log /home/logs/w-1 /home/logs /home":                  {log: log},
		"/g/HEAD /g/index /home/logs/w-1/gate.log /home/logs/w-1 /home/logs /home": {kept: kept, log: log},
	} {
		if got := filepath.ToSlash(strings.Join(m.keptFiles(), " ")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	one, two, head := &merging{}, &merging{}, &merging{}
	head.along = append(make([]*merging, 0, 9), one, two)
	if all := head.together(); !slices.Equal(all, []*merging{one, two, head}) || head.along[:3][2] != nil {
		t.Errorf("%v", all)
	}
}

// The working trees that follow a branch are those that have it checked out, also in the middle of a rebase; there the landing waits.
func TestWorkingTreesOn(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Commit("one", "a.txt", "1\n")
	beside := r.Worktree("beside")
	at := func(ref string) string {
		t.Helper()
		list, err := workingTreesOn(t.Context(), r.Repo(), worktree.Worktree{Ref: "w-1"}, ref)
		if err != nil {
			return err.Error()
		}
		var all []string
		for _, f := range list {
			all = append(all, filepath.Base(f.Path)+" "+f.Owner)
			if f.GitDir != r.At(f.Path).Repo().GitDir {
				t.Errorf("%s: %s", f.Path, f.GitDir)
			}
		}
		return strings.Join(all, ", ")
	}
	for ref, want := range map[string]string{"refs/heads/main": filepath.Base(r.Dir) + " w-1", "refs/heads/beside": "wt-beside w-1", "refs/heads/nowhere": "", "main": ""} {
		if got := at(ref); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	for _, kind := range []string{"rebase-merge", "rebase-apply"} {
		state := filepath.Join(beside.Repo().GitDir, kind)
		if err := errors.Join(os.Mkdir(state, 0o755), os.WriteFile(filepath.Join(state, "head-name"), []byte("refs/heads/topic\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
		if got := at("refs/heads/topic"); !strings.Contains(got, "is in progress in") || !strings.Contains(got, "where topic is checked out") {
			t.Errorf("%s: %q", kind, got)
		}
		if got := at("refs/heads/main"); got != filepath.Base(r.Dir)+" w-1" {
			t.Errorf("%s elsewhere: %q", kind, got)
		}
		if err := os.RemoveAll(state); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(beside.Dir); err != nil {
		t.Fatal(err)
	}
	if got := at("refs/heads/beside"); got != "" {
		t.Errorf("a folder that is gone: %q", got)
	}
}
