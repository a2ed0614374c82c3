package conflict

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/conflict/scan"
	"github.com/agit-suite/agit/agit/internal/repo"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// shop is a field whose worktrees are registered.
type shop struct {
	*field
	db     *registry.DB
	store  *Store
	repoID int64
	agents map[string]int64
}

func newShop(t testing.TB, main *gittest.Repo, n int) *shop {
	t.Helper()
	s := &shop{field: newField(t, main, n), db: registrytest.Open(t), agents: map[string]int64{}}
	added, err := (&repo.Store{DB: s.db}).Add(t.Context(), repo.New{Path: main.Dir, Name: "app"})
	if err != nil {
		t.Fatal(err)
	}
	s.repoID = added.Repo.ID
	for i, w := range s.list {
		s.agents[w.Agent] = s.agent(w.Agent)
		s.write(func(tx *registry.Tx) error {
			id, err := tx.Insert(`INSERT INTO worktrees (uid, ref, repo_id, agent_id, path, branch, status, created_at, updated_at)
				VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?) RETURNING id`, registry.NewUID(), w.Ref, s.repoID, s.agents[w.Agent], w.Path, w.Branch, tx.Stamp(), tx.Stamp())
			s.list[i].ID = id
			return err
		})
	}
	s.store = &Store{DB: s.db, CacheDir: s.cache}
	return s
}

func (s *shop) agent(name string) (id int64) {
	s.write(func(tx *registry.Tx) error {
		a, err := agent.Register(tx, agent.Registration{Name: name})
		id = a.ID
		return err
	})
	return id
}

func (s *shop) write(fn func(*registry.Tx) error) {
	s.t.Helper()
	if err := s.db.Write(context.Background(), registry.Everything, fn); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shop) report(o Options) *Report {
	s.t.Helper()
	r, err := s.store.Scan(s.t.Context(), s.repoID, o)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// count returns the number that a query yields.
func (s *shop) count(query string, args ...any) (n int) {
	s.t.Helper()
	err := s.db.Read(s.t.Context(), func(tx *registry.Tx) error { return tx.QueryRow(query, args...).Scan(&n) })
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *shop) notices() int {
	return s.count(`SELECT COUNT(*) FROM changes WHERE topic = 'conflicts'`)
}

func TestStore(t *testing.T) {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines, "g", "g\n")
	s := newShop(t, main, 3)
	s.trees[0].Write("f", edit(3))
	s.trees[1].Write("f", edit(3, 4))
	s.trees[2].Write("g", "else\n")
	r := s.report(Options{})
	if diff := cmp.Diff([]string{"f merge w0,w1 contents"}, outline(r)); diff != "" {
		t.Fatalf("report (-want +got):\n%s", diff)
	}
	if r.ScannedWorktrees != 3 {
		t.Errorf("scanned %d worktrees, want 3", r.ScannedWorktrees)
	}
	if n := s.notices(); n != 1 {
		t.Errorf("%d notices after the first conflict, want 1", n)
	}
	writes := s.count(`SELECT COUNT(*) FROM file_touches`)
	if writes != 3 {
		t.Errorf("%d touches stored, want 3", writes)
	}
	s.report(Options{})
	s.report(Options{Depth: DepthFile})
	if n := s.notices(); n != 1 {
		t.Errorf("%d notices after scans that found nothing new, want 1", n)
	}
	s.trees[1].Write("f", tenLines)
	if r := s.report(Options{}); len(r.Conflicts) != 0 {
		t.Errorf("conflicts after the change was taken back: %v", outline(r))
	}
	if n := s.notices(); n != 2 {
		t.Errorf("%d notices after the conflict went, want 2", n)
	}

	s.trees[1].Write("f", edit(3, 5))
	s.report(Options{})
	s.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE worktrees SET status = 'removing' WHERE ref = 'w1'`)
		return err
	})
	if r := s.report(Options{}); len(r.Conflicts) != 0 || r.ScannedWorktrees != 2 {
		t.Errorf("a worktree that is being removed still counts: %v of %d", outline(r), r.ScannedWorktrees)
	}
	if n := s.count(`SELECT COUNT(*) FROM file_touches WHERE worktree_id = ?`, s.list[1].ID); n != 0 {
		t.Errorf("a worktree that is being removed has %d touches left", n)
	}
}

// The stored conflict of a worktree that a scan cannot read stays until one can, or until the folder is gone.
func TestStoreBesideDamage(t *testing.T) {
	s := newShop(t, committed(t), 2)
	s.trees[0].Write("f", edit(3))
	s.trees[1].Write("f", edit(3, 4))
	stored := func(why string, want, notices int) {
		t.Helper()
		s.report(Options{})
		if n := s.count(`SELECT COUNT(*) FROM conflict_pairs`); n != want {
			t.Errorf("%s: %d pairs, want %d", why, n, want)
		}
		if n := s.notices(); n != notices {
			t.Errorf("%s: %d notices, want %d", why, n, notices)
		}
	}
	stored("both are read", 1, 1)
	head := filepath.Join(s.trees[1].Repo().GitDir, "HEAD")
	if err := os.Truncate(head, 0); err != nil {
		t.Fatal(err)
	}
	stored("one has no HEAD", 1, 1)
	if err := os.RemoveAll(s.trees[1].Dir); err != nil {
		t.Fatal(err)
	}
	stored("one has no folder", 0, 2)
}

func TestStoreUnknownRepo(t *testing.T) {
	s := newShop(t, committed(t), 0)
	if _, err := s.store.Scan(t.Context(), 99, Options{}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("Scan of an unknown repository: %v", err)
	}
}

func committed(t testing.TB) *gittest.Repo {
	main := gittest.New(t)
	main.Commit("first", "f", tenLines, "src/auth/login.go", "1\n", "src/auth/token.go", "2\n", "src/db/query.sql", "3\n", "README.md", "r\n")
	return main
}

func TestFolderGone(t *testing.T) {
	s := newShop(t, committed(t), 3)
	s.trees[0].Write("f", edit(3))
	s.trees[1].Write("f", edit(3, 4))
	if err := os.RemoveAll(s.trees[2].Dir); err != nil {
		t.Fatal(err)
	}
	r := s.report(Options{})
	if len(r.Skipped) != 1 || r.Skipped[0].ID != "w2" || len(r.Conflicts) != 1 {
		t.Errorf("skipped %v, conflicts %v", r.Skipped, outline(r))
	}
}

func TestChanged(t *testing.T) {
	s := newShop(t, committed(t), 2)
	changed := func() bool {
		t.Helper()
		c, err := s.store.Changed(t.Context(), s.repoID)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if !changed() {
		t.Error("what was never scanned counts as unchanged")
	}
	s.settle()
	s.report(Options{})
	if changed() {
		t.Error("changed right after a scan")
	}
	s.trees[1].Write("f", "x")
	if !changed() {
		t.Error("a change was not seen")
	}
}

// trustTimes makes new files look old enough for the following scans to trust them: tests do not wait two seconds.
func trustTimes(t testing.TB) {
	before := scan.SettleTime
	scan.SettleTime = -time.Hour
	t.Cleanup(func() { scan.SettleTime = before })
}

func TestCheckFile(t *testing.T) {
	main := committed(t)
	s := newShop(t, main, 3)
	check := func(file string, by Caller) *FileCheck {
		t.Helper()
		c, err := s.store.CheckFile(t.Context(), s.repoID, file, by)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := check("f", Caller{}); !c.Free {
		t.Errorf("an untouched file is not free: %+v", c)
	}
	s.trees[0].Write("f", edit(3))
	s.trees[1].Commit("work", "f", edit(4))
	s.trees[2].Write("new/file", "x")
	main.Commit("main moves on", "f", edit(9))
	want := []Toucher{
		{ID: "w0", Branch: "w0", Agent: "agent-w0", Change: Modified},
		{ID: "w1", Branch: "w1", Agent: "agent-w1", Change: Modified, Committed: true},
	}
	if diff := cmp.Diff(want, check("f", Caller{}).Touched); diff != "" {
		t.Errorf("touched (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want[1:], check("f", Caller{Worktree: s.trees[0].Dir}).Touched); diff != "" {
		t.Errorf("touched, seen from w0 (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Toucher{{ID: "w2", Branch: "w2", Agent: "agent-w2", Change: Added}}, check("new/file", Caller{}).Touched); diff != "" {
		t.Errorf("a new file (-want +got):\n%s", diff)
	}
	s.report(Options{})
	if diff := cmp.Diff(want, check("f", Caller{}).Touched); diff != "" {
		t.Errorf("touched after a scan (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "/etc/passwd", "../x", "a\x00b", "."} {
		if _, err := s.store.CheckFile(t.Context(), s.repoID, bad, Caller{}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("CheckFile(%q): %v", bad, err)
		}
	}
}

// TestCheckAgainstScan compares the check of single files with whole scans.
// A worktree that git cannot read is still checked, by the last scan or against the default branch, and so are the others.
func TestCheckFileBesideDamage(t *testing.T) {
	for name, spoil := range map[string]func(w *gittest.Repo) error{
		"commit": func(w *gittest.Repo) error { return lose(w, w.Head()) },
		"HEAD":   func(w *gittest.Repo) error { return os.Truncate(filepath.Join(w.Repo().GitDir, "HEAD"), 0) },
		"branch": func(w *gittest.Repo) error { return os.Truncate(filepath.Join(w.Repo().CommonDir, "refs/heads/w2"), 0) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, committed(t), 3)
			if name == "HEAD" {
				s.report(Options{})
			}
			s.trees[1].Commit("mine", "README.md", "mine")
			s.trees[2].Write("README.md", "not committed")
			if name == "commit" {
				s.trees[2].Commit("lost", "f", "lost")
			}
			if err := spoil(s.trees[2]); err != nil {
				t.Fatal(err)
			}
			for file, want := range map[string]string{"README.md": "w1 w2", "src/db/query.sql": ""} {
				c, err := s.store.CheckFile(t.Context(), s.repoID, file, Caller{Worktree: "w0"})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, touched := range c.Touched {
					got = append(got, touched.ID)
				}
				if strings.Join(got, " ") != want {
					t.Errorf("%s: touched by %q, want %q", file, got, want)
				}
			}
		})
	}
}

func TestCheckAgainstScan(t *testing.T) {
	rounds := 4
	if testing.Short() {
		rounds = 2 // a round makes hundreds of git calls
	}
	for seed := range rounds {
		random := rand.New(rand.NewPCG(uint64(seed), 11))
		main := gittest.New(t)
		w := &writer{random: random}
		w.start(main)
		s := newShop(t, main, 3)
		for _, tree := range s.trees {
			tree.Write(".gitignore", "*.ignored\n")
			tree.Write("x.ignored", "x")
			w.change(tree, random.IntN(5))
			if random.IntN(2) == 0 {
				tree.Commit("work")
			}
			w.change(main, 1)
			main.Commit("main moves on")
			w.change(tree, random.IntN(4))
		}
		want := map[string][]string{}
		for _, t := range s.scan(Options{Depth: DepthFile}).Touched {
			for _, f := range t.Files {
				change := f.Change
				if f.OldPath != "" {
					want[f.OldPath] = append(want[f.OldPath], t.Worktree.Ref+" deleted")
					change = Added
				}
				want[f.Path] = append(want[f.Path], fmt.Sprint(t.Worktree.Ref, " ", change))
			}
		}
		files := []string{"x.ignored", ".gitignore"}
		for _, dir := range writerDirs {
			for _, file := range writerFiles {
				files = append(files, dir+file, dir+file+"-moved", dir+file+"/inside")
			}
		}
		for _, file := range files {
			c, err := s.store.CheckFile(t.Context(), s.repoID, file, Caller{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, touch := range c.Touched {
				got = append(got, fmt.Sprint(touch.ID, " ", touch.Change))
			}
			slices.Sort(want[file])
			if diff := cmp.Diff(want[file], got); diff != "" {
				t.Errorf("seed %d, %q: the check differs from a scan (-scan +check):\n%s", seed, file, diff)
			}
		}
	}
}

func TestAnnouncements(t *testing.T) {
	s := newShop(t, committed(t), 2)
	ada, bob := s.agents["agent-w0"], s.agents["agent-w1"]
	announce := func(agentID int64, patterns ...string) []Announcement {
		t.Helper()
		made, err := s.store.Announce(t.Context(), Announce{RepoID: s.repoID, AgentID: agentID, Patterns: patterns, For: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	if made := announce(ada, "src/auth/**"); len(made) != 1 || len(made[0].Overlaps) > 0 {
		t.Errorf("first announcement: %+v", made)
	}
	made := announce(bob, "*.go", "src/db/", "src/auth/new.txt")
	overlaps := map[string][]string{}
	for _, c := range made {
		overlaps[c.Pattern] = c.Overlaps
	}
	want := map[string][]string{"*.go": {"agent-w0: src/auth/**"}, "src/db/": nil, "src/auth/new.txt": {"agent-w0: src/auth/**"}}
	if diff := cmp.Diff(want, overlaps); diff != "" {
		t.Errorf("overlaps (-want +got):\n%s", diff)
	}
	c, err := s.store.CheckFile(t.Context(), s.repoID, "src/auth/login.go", Caller{Agent: "agent-w1"})
	if err != nil || c.Free || len(c.Claims) != 1 || c.Claims[0].Agent != "agent-w0" {
		t.Errorf("check of an announced file: %+v, %v", c, err)
	}
	c, err = s.store.CheckFile(t.Context(), s.repoID, "src/auth/login.go", Caller{Worktree: s.list[0].Path})
	if err != nil || len(c.Claims) != 1 || c.Claims[0].Agent != "agent-w1" {
		t.Errorf("check from the worktree of the agent that announced it: %+v, %v", c, err)
	}
	announce(ada, "src/auth/**")
	if all, _ := s.store.Announcements(t.Context(), s.repoID); len(all) != 4 {
		t.Errorf("%d announcements after one was renewed, want 4", len(all))
	}
	s.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE file_claims SET expires_at = ? WHERE pattern = 'src/auth/**'`, tx.Stamp())
		return err
	})
	if all, _ := s.store.Announcements(t.Context(), s.repoID); len(all) != 3 {
		t.Errorf("%d announcements after one expired, want 3", len(all))
	}
	if n, err := s.store.Withdraw(t.Context(), s.repoID, bob, []string{"./src/db/", "*.go"}); err != nil || n != 1 {
		t.Errorf("released %d, %v; want the one named, since ./src/db/ is another pattern", n, err)
	}
	if n, err := s.store.Withdraw(t.Context(), s.repoID, bob, nil); err != nil || n != 2 {
		t.Errorf("released %d, %v; want the rest", n, err)
	}
	for _, bad := range []string{"", "#x", "!x", "../x", "a\nb", "\xff", strings.Repeat("a", 2000)} {
		if _, err := s.store.Announce(t.Context(), Announce{RepoID: s.repoID, AgentID: ada, Patterns: []string{bad}}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("Announce(%.20q): %v", bad, err)
		}
	}
	if _, err := s.store.Announce(t.Context(), Announce{RepoID: s.repoID, AgentID: ada, Patterns: []string{"x"}, For: 30 * 24 * time.Hour}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("Announce for a month: %v", err)
	}
}

func TestParallelOK(t *testing.T) {
	s := newShop(t, committed(t), 2)
	s.trees[0].Write("src/auth/login.go", "changed\n")
	s.trees[0].Write("src/auth/brandnew.go", "new\n")
	if _, err := s.store.Announce(t.Context(), Announce{RepoID: s.repoID, AgentID: s.agents["agent-w1"], Patterns: []string{"src/db/**"}}); err != nil {
		t.Fatal(err)
	}
	tasks := []struct {
		text, agent string
		verdict     Verdict
		files       string
	}{
		{"Make it faster", "", ParallelUnknown, ""},
		{"Fix src/auth/login.go:12.", "", ParallelNo, "src/auth/login.go"},
		{"Fix `auth/token.go`, please", "", ParallelYes, "src/auth/token.go"},
		{"Rewrite README.md", "", ParallelYes, "README.md"},
		{"Rework src/auth/", "", ParallelNo, "src/auth/"},
		{"all of src/**/*.sql", "", ParallelNo, "src/**/*.sql"},
		{"query.sql is slow", "", ParallelNo, "src/db/query.sql"},
		{"query.sql is slow", "agent-w1", ParallelYes, "src/db/query.sql src/db/**"},
		{"go on with the login", "agent-w0", ParallelUnknown, ""},
		{"write src/auth/brandnew.go", "", ParallelNo, "src/auth/brandnew.go"},
		{"write src/auth/other.go, see https://example.org/README.md", "", ParallelYes, "src/auth/other.go"},
		{"a * b, e.g. this and/or that", "", ParallelUnknown, ""},
	}
	var ask []TaskText
	for i, task := range tasks {
		ask = append(ask, TaskText{ID: fmt.Sprint(i), Text: task.text, Agent: task.agent})
	}
	answers, _, err := s.store.ParallelOK(t.Context(), s.repoID, ask)
	if err != nil {
		t.Fatal(err)
	}
	for i, task := range tasks {
		got := answers[i]
		if got.Verdict != task.verdict || strings.Join(got.Files, " ") != task.files {
			t.Errorf("%q: %s %v (%v), want %s %s", task.text, got.Verdict, got.Files, got.With, task.verdict, task.files)
		}
	}
}

// No task is ok beside a worktree that could not be read. One without a folder is in no one's way.
func TestParallelOKBesideDamage(t *testing.T) {
	s := newShop(t, committed(t), 2)
	ask := []TaskText{{ID: "1", Text: "Rewrite README.md"}, {ID: "2", Text: "Fix src/auth/login.go"}}
	s.trees[0].Write("src/auth/login.go", "changed\n")
	verdicts := func(why string, want ...Verdict) {
		t.Helper()
		answers, _, err := s.store.ParallelOK(t.Context(), s.repoID, ask)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range answers {
			if a.Verdict != want[i] {
				t.Errorf("%s: task %s is %s, want %s", why, a.Task, a.Verdict, want[i])
			}
		}
	}
	if err := os.Truncate(filepath.Join(s.trees[1].Repo().GitDir, "HEAD"), 0); err != nil {
		t.Fatal(err)
	}
	verdicts("without a HEAD", ParallelUnknown, ParallelNo)
	if err := os.RemoveAll(s.trees[1].Dir); err != nil {
		t.Fatal(err)
	}
	verdicts("without a folder", ParallelYes, ParallelNo)
}

// TestWorktreesOfOthers has worktrees that git or a client made, and the main checkout. They take part like any other, leave no row behind,
// and disappear with git's entry.
// The main checkout and the worktrees of a clone that is not at its place count as not scanned, but not among a repository's own.
func TestCloneThatIsAway(t *testing.T) {
	t.Parallel()
	const remote = "https://example.com/acme/app.git"
	main, other := gittest.New(t), gittest.New(t)
	main.Commit("one", "f", "1\n")
	main.Git("remote", "add", "origin", remote)
	other.Git("remote", "add", "origin", remote)
	s := newShop(t, main, 1)
	two, err := (&repo.Store{DB: s.db}).Add(t.Context(), repo.New{Path: other.Dir, Name: "two"})
	if err != nil {
		t.Fatal(err)
	}
	s.write(func(tx *registry.Tx) error {
		return tx.Do(`INSERT INTO worktrees (uid, ref, repo_id, path, branch, status, created_at, updated_at) VALUES ('x', 'w-x', ?, ?, 'x', 'active', ?, ?)`,
			two.Repo.ID, other.Path("x"), tx.Stamp(), tx.Stamp())
	})
	s.store.Clones = true
	if err := os.Rename(other.Dir, other.Dir+"-away"); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, skipped := range s.report(Options{}).Skipped {
		if !strings.Contains(skipped.Reason, "no longer at") {
			t.Errorf("%+v", skipped)
		}
		got = append(got, skipped.ID)
	}
	if diff := cmp.Diff([]string{"two/w-x", "two/" + filepath.Base(other.Dir)}, got); diff != "" {
		t.Error(diff)
	}
	if states, err := s.store.States(t.Context(), s.repoID); err != nil || len(states.Skipped) > 0 {
		t.Errorf("%+v, %v", states, err)
	}
	main.Git("branch", "x")
	if _, err := s.store.Scan(t.Context(), s.repoID, Options{With: "x"}); err != nil {
		t.Error(err)
	}
}

func TestWorktreesOfOthers(t *testing.T) {
	t.Parallel()
	main := gittest.New(t)
	main.Write("f", "1\n2\n3\n")
	main.Commit("one", "f")
	s := newShop(t, main, 1)
	sides := func(r *Report) (all []string) {
		for _, c := range r.Conflicts {
			var names []string
			for _, side := range c.Worktrees {
				names = append(names, side.Label())
			}
			all = append(all, fmt.Sprint(c.File, " ", c.Depth, " ", strings.Join(names, ", ")))
		}
		return all
	}
	expect := func(why string, scanned int, want ...string) {
		t.Helper()
		r := s.report(Options{})
		if got := sides(r); !slices.Equal(got, want) || r.ScannedWorktrees != scanned {
			t.Errorf("%s: %q in %d worktrees, want %q in %d", why, got, r.ScannedWorktrees, want, scanned)
		}
	}
	expect("an untouched main checkout is not a party", 1)

	claude := main.Path(".claude/worktrees/fix")
	main.Git("worktree", "add", "-q", "-b", "worktree-fix", claude)
	expect("a worktree without a change", 2)
	s.trees[0].Write("f", "1\nann\n3\n")
	main.At(claude).Write("f", "1\nclaude\n3\n")
	expect("git's worktree against agit's", 2, "f merge w0 (agent-w0), fix (claude-code)")

	main.Write("f", "1\nperson\n3\n")
	name := main.Dir[strings.LastIndexByte(main.Dir, '/')+1:]
	expect("and the main checkout", 3, "f merge w0 (agent-w0), "+name+" (main checkout), fix (claude-code)")
	check, err := s.store.CheckFile(t.Context(), s.repoID, "f", Caller{Worktree: claude})
	if err != nil || len(check.Touched) != 2 || check.Free {
		t.Errorf("%+v %v", check, err)
	}
	if n := s.count(`SELECT COUNT(*) FROM worktree_scans`) + s.count(`SELECT COUNT(*) FROM conflict_pairs`); n != 1 {
		t.Errorf("%d rows of worktrees, want that of w0 alone", n)
	}

	main.Git("checkout", "-q", "f")
	main.Git("worktree", "remove", "--force", claude)
	expect("both are over", 1)
}
