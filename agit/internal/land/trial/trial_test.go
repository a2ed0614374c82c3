package trial

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/agit/internal/run/worker"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/config"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

func TestMain(m *testing.M) {
	gittest.Isolate()
	os.Exit(m.Run())
}

// field is a repository whose gate counts its runs.
type field struct {
	*worktreetest.Fixture
	trials *Store
	runs   string
}

// newField makes one. The shell command fails is true where the gate is to be red.
func newField(t *testing.T, fails string) *field {
	t.Helper()
	f := &field{Fixture: worktreetest.New(t), runs: filepath.Join(t.TempDir(), "runs")}
	f.trials = &Store{Landings: f.Landings, Conflicts: &conflict.Store{DB: f.DB}, Home: t.TempDir()}
	f.Set.Gate = []string{"echo run >> '" + f.runs + "'; if " + fails + "; then echo '--- FAIL: TestSession (0.00s)'; exit 3; fi"}
	return f
}

// counted are the runs of the gate so far.
func (f *field) counted() int {
	data, err := os.ReadFile(f.runs)
	if err != nil && !os.IsNotExist(err) {
		f.T.Fatal(err)
	}
	return strings.Count(string(data), "run")
}

// work makes a worktree of an agent's that has a new file, not committed.
func (f *field) work(name string) string {
	f.T.Helper()
	w := f.Spawn(spawn.Request{Task: name})
	f.Tree(w).Write(name, name+"\n")
	return w.Ref
}

func (f *field) trial(o Options) Trial {
	f.T.Helper()
	t, err := f.trials.Run(context.Background(), f.Repo, o)
	if err != nil {
		f.T.Fatal(err)
	}
	return t
}

func TestNothingInFlight(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	f.Spawn(spawn.Request{Task: "x"})
	if got := f.trial(Options{}); got.Result != Nothing || f.counted() != 0 {
		t.Errorf("%+v", got)
	}
}

func TestGreenOnce(t *testing.T) {
	t.Parallel()
	f := newField(t, "test ! -f login || test ! -f sso || test ! -f staged || test -f kept.log || test \"$(git rev-parse HEAD)\" != \"$AGIT_COMMIT\"")
	f.Set.Gate = append(f.Set.Gate, "touch kept.log")
	login, sso := f.work("login"), f.work("sso")
	f.Main.Write("staged", "by a person\n")
	f.Main.Git("add", "staged")
	before := worktreetest.Listing(t, f.Main.Path(".git"))
	planned := f.trial(Options{DryRun: true})
	if planned.Result != Planned || f.counted() != 0 || len(planned.Parties) != 3 {
		t.Errorf("%+v", planned)
	}
	got := f.trial(Options{})
	if got.Result != Green || got.Runs != 1 || got.Known || f.counted() != 1 {
		t.Fatalf("%+v", got)
	}
	var names []string
	for _, p := range got.Parties {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{login, sso, filepath.Base(f.Main.Dir)}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, worktreetest.Listing(t, f.Main.Path(".git"))); diff != "" {
		t.Errorf("the repository was written to:\n%s", diff)
	}
	if again := f.trial(Options{}); again.Result != Green || !again.Known || again.Tree != got.Tree || f.counted() != 1 {
		t.Errorf("%+v", again)
	}
	// The same checkout is used again, as new: the file that the gate left there is gone.
	if again := f.trial(Options{Again: true}); again.Result != Green || f.counted() != 2 {
		t.Errorf("%+v", again)
	}
	var last *Trial
	if err := f.DB.Read(t.Context(), func(tx *registry.Tx) (err error) { last, err = Last(tx, f.Repo.ID); return err }); err != nil || last == nil || last.Result != Green {
		t.Errorf("%+v %v", last, err)
	}
}

func TestRedTogether(t *testing.T) {
	t.Parallel()
	f := newField(t, "test -f login && test -f sso")
	login, _, sso, docs := f.work("login"), f.work("search"), f.work("sso"), f.work("docs")
	got := f.trial(Options{})
	if got.Result != Red || len(got.Failures) != 1 {
		t.Fatalf("%+v", got)
	}
	failure := got.Failures[0]
	if len(failure.Parties) != 2 || failure.Parties[0].Name != login || failure.Parties[1].Name != sso || !failure.Alone || failure.Tests[0] != "TestSession" || failure.Log == "" {
		t.Errorf("%+v", failure)
	}
	if len(got.Passing) != 3 || got.Passing[2] != docs {
		t.Errorf("passing: %v", got.Passing)
	}
	if !strings.HasSuffix(failure.Sentence(), "fails together, TestSession; each alone passes") || !failure.Names(sso) || failure.Names(docs) || failure.Names(sso[:4]) {
		t.Error(failure.Sentence())
	}
	if lines := got.Tells(); len(lines) != 2 || lines[1] != "its log: "+failure.Log {
		t.Errorf("%q", lines)
	}
	if now := got.Still([]string{login, docs}); len(now.Failures) != 0 || len(got.Still([]string{login, sso}).Failures) != 1 {
		t.Errorf("%+v", now)
	}
	runs := f.counted()
	if again := f.trial(Options{}); again.Result != Red || !again.Known || f.counted() != runs {
		t.Errorf("%d runs, then %d: %+v", runs, f.counted(), again)
	}
}

func TestRedAlone(t *testing.T) {
	t.Parallel()
	f := newField(t, "test -f bad")
	f.work("good")
	bad := f.work("bad")
	f.work("fine")
	got := f.trial(Options{})
	if got.Result != Red || len(got.Failures) != 1 || len(got.Passing) != 2 {
		t.Fatalf("%+v", got)
	}
	if failure := got.Failures[0]; len(failure.Parties) != 1 || failure.Parties[0].Name != bad || failure.Alone || strings.Contains(failure.Sentence(), "together") {
		t.Errorf("%+v", failure)
	}
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	a := f.Worked("ann")
	b := f.Worked("bob") // the same line
	c := f.work("cyd")
	got := f.trial(Options{})
	if got.Result != Green || len(got.Parties) != 2 || got.Parties[0].Name != a.Ref || got.Parties[1].Name != c {
		t.Fatalf("%+v", got)
	}
	want := []LeftOut{{Party: Party{Name: b.Ref, Branch: b.Branch}, Files: []string{"a.txt"}, With: []string{a.Ref}}}
	if diff := cmp.Diff(want, got.LeftOut); diff != "" {
		t.Error(diff)
	}
	if line := got.LeftOut[0].Sentence("main"); line != b.Ref+" does not merge with "+a.Ref+", and was left out: a.txt" {
		t.Error(line)
	}
	f.Main.Commit("meanwhile", "a.txt", "else\n2\n3\n4\n5\n6\n7\n8\n9\n")
	if got := f.trial(Options{}); len(got.LeftOut) != 2 || got.LeftOut[0].Sentence(got.Into) != a.Ref+" does not merge with main, and was left out: a.txt" {
		t.Errorf("%+v", got.LeftOut)
	}
}

func TestWithoutGate(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	f.Set.Gate = nil
	f.work("x")
	if got := f.trial(Options{}); got.Result != Ungated || len(got.Parties) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestUntrustedGate(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	f.Set.Gate, f.Set.Unjudged = nil, config.Unjudged{Waiting: []string{"gate"}}
	f.work("x")
	_, err := f.trials.Run(t.Context(), f.Repo, Options{})
	worktreetest.Contains(t, err, "nothing was tried together", "no person has trusted")
}

func TestOneAtATime(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	f.work("x")
	lock, err := f.trials.lock()
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := f.trials.Run(t.Context(), f.Repo, Options{}); !Busy(err) {
		t.Errorf("beside another trial: %v", err)
	}
	if got := f.trial(Options{DryRun: true}); got.Result != Planned { // runs nothing
		t.Errorf("%+v", got)
	}
}

// Programs that the gate of a killed trial left running are ended before the next one.
func TestLeftoversAreEnded(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	left := exec.Command("sleep", "600")
	left.Env = append(os.Environ(), worker.RunVariable+"="+f.trials.run())
	worktreetest.Must(t, left.Start())
	if got := f.trial(Options{}); got.Result != Nothing {
		t.Errorf("%+v", got)
	}
	if err := left.Wait(); err == nil {
		t.Error("it ended by itself")
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	f.Set.Gate = []string{"sleep 600"}
	f.work("x")
	got := f.trial(Options{Limit: time.Millisecond})
	if got.Result != Unfinished || got.Known {
		t.Errorf("%+v", got)
	}
	if again := f.trial(Options{Idle: true}); again.Result != Unfinished || !again.At.Equal(got.At.Truncate(time.Millisecond)) {
		t.Errorf("by itself it was tried again: %+v", again)
	}
	f.work("y")
	f.Set.Gate = []string{"true"}
	if again := f.trial(Options{Idle: true}); again.Result != Green {
		t.Errorf("%+v", again)
	}
}

// A link that a gate puts into the checkout leads no later trial out of it.
func TestCheckoutIsNotFollowedOut(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	f.work("x")
	f.trial(Options{})
	elsewhere := gittest.New(t)
	elsewhere.Commit("mine", "f", "f\n")
	before := worktreetest.Listing(t, elsewhere.Path(".git"))
	inside := filepath.Join(f.trials.folder(), f.Repo.UID, ".git")
	worktreetest.Must(t, os.RemoveAll(inside))
	worktreetest.Must(t, os.Symlink(elsewhere.Path(".git"), inside))
	if got := f.trial(Options{Again: true}); got.Result != Green {
		t.Errorf("%+v", got)
	}
	if diff := cmp.Diff(before, worktreetest.Listing(t, elsewhere.Path(".git"))); diff != "" {
		t.Error(diff)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	queued, early, late := conflict.State{Worktree: conflict.Worktree{ID: 9, Ref: "q"}}, conflict.State{Worktree: conflict.Worktree{ID: 1, Ref: "z"}}, conflict.State{Worktree: conflict.Worktree{ID: 2, Ref: "a"}}
	seen, main := conflict.State{Worktree: conflict.Worktree{Ref: "b"}}, conflict.State{Worktree: conflict.Worktree{Ref: "app", Main: true}}
	list := []conflict.State{queued, early, late, seen, main}
	places := map[int64]int{9: 1}
	for i := range list {
		for j := range list {
			if got := order(list[i], list[j], places); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%s and %s: %d", list[i].Ref, list[j].Ref, got)
			}
		}
	}
}

// A repository with the longer object names is tried like any other.
func TestSHA256(t *testing.T) {
	t.Parallel()
	g := gittest.TempDir(t)
	f := newField(t, "false")
	main := f.Main.At(g)
	main.Git("init", "-q", "--object-format=sha256", "-b", "main")
	main.Commit("one", "f", "f\n")
	added, err := (&repo.Store{DB: f.DB}).Add(t.Context(), repo.New{Path: g, Name: "long"})
	if err != nil {
		t.Fatal(err)
	}
	main.Write("g", "g\n")
	got, err := f.trials.Run(t.Context(), added.Repo, Options{})
	if err != nil || got.Result != Green || len(got.Tree) != 64 {
		t.Errorf("%+v %v", got, err)
	}
}

// Filters that a commit's own attributes name work in the checkout as in the repository, whose configuration holds their commands.
func TestFilters(t *testing.T) {
	t.Parallel()
	f := newField(t, "! grep -q shout f.txt")
	f.Main.Git("config", "filter.loud.clean", "tr a-z A-Z")
	f.Main.Git("config", "filter.loud.smudge", "tr A-Z a-z")
	f.Main.Commit("attributes", ".gitattributes", "*.txt filter=loud\n")
	f.Main.Write("f.txt", "shout\n")
	if got := f.trial(Options{}); got.Result != Green {
		t.Errorf("%+v", got)
	}
}

// The gate of a trial has ports of its own, as it has in a worktree.
func TestPortOfTrial(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	seen := filepath.Join(t.TempDir(), "port")
	f.Set.Gate = []string{"echo $AGIT_PORT > '" + seen + "'"}
	f.Set.PortBase, f.Set.PortCount = 20000, 10
	f.work("ann")
	f.trial(Options{})
	text, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	port := strings.TrimSpace(string(text))
	if len(port) != 5 || port[0] != '2' && port[0] != '3' || port[4] != '0' {
		t.Errorf("the gate's port is %q, want the first of a range from 20000 on", port)
	}
	for _, w := range f.Rows() {
		if strconv.Itoa(w.Port) == port {
			t.Errorf("worktree %s has the port %s, too", w.Ref, port)
		}
	}
}

// A gate that asks git about tags, branches and a history that was cut off finds those of the repository, also in a checkout that an earlier
// gate worked in.
func TestGateAsksGit(t *testing.T) {
	t.Parallel()
	f := newField(t, `! git describe --tags --match v1 || ! git rev-parse --verify main || ! git rev-parse --verify origin/main || [ $(git rev-list --count main) != 1 ] || ! git update-ref -d refs/tags/v1`)
	f.Main.Commit("cut", "cut", "x\n")
	f.Main.Git("tag", "v1")
	f.Main.Git("update-ref", "refs/remotes/origin/main", "main")
	f.Main.Write(".git/shallow", f.Main.Head()+"\n")
	for _, name := range []string{"one", "two"} {
		f.work(name)
		if got := f.trial(Options{}); got.Result != Green {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if f.Main.Git("tag") != "v1" {
		t.Error("a gate removed a tag of the repository")
	}
}

// A gate does not take a whole history for one that was cut off.
func TestGateInAWholeHistory(t *testing.T) {
	t.Parallel()
	f := newField(t, "[ $(git rev-parse --is-shallow-repository) != false ]")
	f.work("one")
	if got := f.trial(Options{}); got.Result != Green {
		t.Errorf("%+v", got)
	}
}

// A file in place of a folder is named as people know it, not as git names the copy beside the folder.
func TestLeftOutByAFileInPlaceOfAFolder(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	f.Main.Commit("folder", "lib/a", "a\n")
	w := f.Spawn(spawn.Request{Task: "x"})
	f.Tree(w).Commit("deep", "lib/a", "b\n")
	f.Main.Git("rm", "-rq", "lib")
	f.Main.Commit("file", "lib", "file\n")
	got := f.trial(Options{})
	if len(got.LeftOut) != 1 {
		t.Fatalf("%+v", got)
	}
	if diff := cmp.Diff([]string{"lib", "lib/a"}, got.LeftOut[0].Files); diff != "" {
		t.Error(diff)
	}
}

// A worktree that has no commit in common with main is left out and named; the others are tried.
func TestLeftOutWithoutACommonCommit(t *testing.T) {
	t.Parallel()
	f := newField(t, "false")
	w := f.Worked("x")
	f.Main.Git("reset", "-q", "--hard", f.Main.Git("commit-tree", "-m", "other", "main^{tree}"))
	f.Tree(w).Write("more", "more\n")
	one := f.work("one")
	got := f.trial(Options{})
	if len(got.LeftOut) != 1 || len(got.Parties) != 1 || got.Parties[0].Name != one {
		t.Fatalf("%+v", got)
	}
	if line := got.LeftOut[0].Sentence("main"); line != w.Ref+" does not merge with main, and was left out: they have no commit in common" {
		t.Error(line)
	}
}
