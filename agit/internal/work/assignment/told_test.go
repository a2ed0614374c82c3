package assignment_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agit-suite/agit/agit/internal/land"
	"github.com/agit-suite/agit/agit/internal/land/forge"
	"github.com/agit-suite/agit/agit/internal/land/review"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/agit/internal/work/assignment"
	"github.com/agit-suite/agit/agit/internal/worktree"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/git/gittest"
	"github.com/agit-suite/agit/shared/registry"
)

// told writes down what agents that begin and finish tasks are answered, and what other programs are asked meanwhile.
type told struct {
	*way
	out   strings.Builder
	masks *clitest.Masks
	bin   string // folder of the other programs
	seen  int
}

// newTold puts programs with these names, which are lines of shell, before those on PATH. They write their arguments to the file asked.
func newTold(t *testing.T, programs map[string]string) *told {
	s := &told{way: newWay(t), bin: gittest.TempDir(t)}
	for name, script := range programs {
		gittest.WriteProgram(t, filepath.Join(s.bin, name), "#!/bin/sh\necho \""+name+" $*\" >> '"+s.bin+"/asked'\ncd '"+s.bin+"'\n"+script+"\n")
	}
	t.Setenv("PATH", s.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	s.masks = clitest.NewMasks(t, s.Repo.Path, "<repo>", s.bin, "<bin>", s.Worktrees.Options.Home, "<home>")
	return s
}

func (s *told) show(title string, result any, err error) {
	fmt.Fprintf(&s.out, "== %s\n", title)
	asked, _ := os.ReadFile(filepath.Join(s.bin, "asked"))
	s.out.WriteString(string(asked[s.seen:]))
	s.seen = len(asked)
	if err != nil {
		f := fault.From(err)
		fmt.Fprintf(&s.out, "! %s (%s, retry %v): %s\n", f.Message, f.Kind, f.Retryable, f.Hint)
		return
	}
	text, err := json.MarshalIndent(result, "", " ")
	worktreetest.Must(s.t, err)
	fmt.Fprintf(&s.out, "%s\n", text)
}

func (s *told) begins(title string, q assignment.BeginRequest) string {
	b, err := s.store.Begin(s.t.Context(), q)
	s.show(title, b, err)
	if b.Worktree == nil {
		return ""
	}
	return b.Worktree.Path
}

func (s *told) ends(title, agent string, change func(*assignment.FinishRequest)) {
	out, err := s.finish(agent, change)
	s.show(title, out, err)
}

func (s *told) compare(name string) {
	s.t.Helper()
	clitest.Golden(s.t, filepath.Join("testdata", "told", name+".txt"), s.masks.Apply(logTime.ReplaceAllString(s.out.String(), "/<time>-")))
}

// logTime finds the time in the name of a log.
var logTime = regexp.MustCompile(`/\d{8}T\d{6}\.\d{6}Z-`)

// session opens a session of an agent on its task, as memoryd does.
func (s *told) session(ref, item string) {
	s.Exec(`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, item_id, status, started_at, last_event_at)
		SELECT ?, ?, i.project_id, l.agent_id, ?, i.id, 'active', ?, ? FROM items i JOIN leases l ON l.item_id = i.id WHERE i.ref = ?`,
		registry.NewUID(), ref, ref, worktreetest.Stamp(0), worktreetest.Stamp(0), item)
}

// Tasks are begun, worked on and finished in every way, with memoryd beside agit.
func TestWaysAreTold(t *testing.T) {
	s := newTold(t, map[string]string{"memoryd": `case "$*" in
*--item=T-1*) echo '{"session_id":"s-1","warnings":["an old schema"],"last_session_summary":"It was begun.","recent_memory":[{"id":"m-1","title":"Passwords","content":"are salted"},{"id":"m-2","title":"t"}]}' ;;
*--item=T-3*) echo '{"session_id":"s-3","last_session_summary":"old","resumed_from":{"summary":"half of it"}}' ;;
*s-away*) echo 'the registry is away' >&2; exit 1 ;;
*s-over*) exit 4 ;;
"session end"*) echo '{"warnings":["the tracker is away"]}' ;;
*) echo 'no such item' >&2; exit 3 ;;
esac`})
	s.store.Flags = []string{"--db=here"}
	s.begins("without an agent", assignment.BeginRequest{Repo: "app"})
	s.begins("in no repository", assignment.BeginRequest{Repo: "none", Agent: "ann"})
	at := s.begins("the next task", assignment.BeginRequest{Repo: "app", Agent: "ann"})
	s.begins("of another agent", assignment.BeginRequest{Repo: "app", Agent: "bob", Task: "T-1"})
	s.begins("what waits", assignment.BeginRequest{Repo: "app", Agent: "bob", Task: "T-2"})
	s.ends("nothing done", "ann", nil)
	s.Main.At(at).Write("login.go", "package x\n")
	s.Main.At(at).Write("sub/login_test.go", "package x\n\n")
	s.ends("nothing committed", "ann", nil)
	s.session("s-1", "T-1")
	s.begins("again", assignment.BeginRequest{Repo: "app", Agent: "ann"})
	s.ends("committed and kept", "ann", func(q *assignment.FinishRequest) {
		q.Commit, q.Summary, q.Land = true, "It works.\nAll of it.", worktree.LandNever
	})
	s.ends("kept again", "ann", func(q *assignment.FinishRequest) { q.Land = worktree.LandNever })
	s.ends("for a review", "ann", func(q *assignment.FinishRequest) { q.Summary = "It works." })
	s.ends("for a review again", "ann", nil)
	s.begins("what waits for a review", assignment.BeginRequest{Repo: "app", Agent: "ann", Task: "T-1"})
	_, err := s.store.Reviews.Return(t.Context(), review.Decision{Worktree: filepath.Base(at), Why: "The retry\nneeds a test."}, 0)
	worktreetest.Must(t, err)
	s.begins("what was returned", assignment.BeginRequest{Repo: "app", Agent: "ann"})
	s.ends("unchanged", "ann", func(q *assignment.FinishRequest) { q.Land = worktree.LandGate })
	s.Set.Gate = []string{"test -e retry_test.go"}
	s.ends("red", "ann", func(q *assignment.FinishRequest) { q.Land, q.Summary = worktree.LandGate, "No test is needed." })
	s.Main.At(at).Commit("Test the retry", "retry_test.go", "package x\n")
	s.ends("landed by another agent", "bob", func(q *assignment.FinishRequest) { q.Land, q.Worktree = worktree.LandGate, at })
	s.Exec(`UPDATE sessions SET ref = 's-away' WHERE ref = 's-1'`)
	s.ends("landed", "ann", func(q *assignment.FinishRequest) { q.Land, q.Summary = worktree.LandGate, "Tested." })
	s.ends("landed again", "ann", nil)
	s.Set.Gate = nil
	at = s.begins("a task by its id", assignment.BeginRequest{Agent: "bob", Task: "T-3"})
	s.session("s-over", "T-3")
	s.ends("given back without a reason", "bob", func(q *assignment.FinishRequest) { q.Outcome = assignment.Released })
	s.Main.At(at).Commit("Half", "half.go", "package x\n")
	s.Main.At(at).Write("draft.go", "package x\n")
	s.ends("given back", "bob", func(q *assignment.FinishRequest) { q.Outcome, q.Summary = assignment.Released, "too large" })
	s.begins("what was given back", assignment.BeginRequest{Repo: "app", Agent: "cyd", Task: "T-3", Limit: 100000})
	s.ends("failed", "cyd", func(q *assignment.FinishRequest) { q.Outcome, q.Summary = assignment.Failed, "no access" })
	s.begins("the last", assignment.BeginRequest{Repo: "app", Agent: "ann"})
	s.ends("without changes", "ann", func(q *assignment.FinishRequest) { q.Outcome, q.Summary = assignment.NoChanges, "It works already." })
	s.ends("without changes, again", "ann", func(q *assignment.FinishRequest) { q.Outcome, q.Summary = assignment.NoChanges, "It works already." })
	s.begins("nothing more", assignment.BeginRequest{Repo: "app", Agent: "ann"})
	for _, id := range []string{"T-1", "T-2", "T-3"} {
		d, err := s.store.Tasks.Get(t.Context(), id)
		worktreetest.Must(t, err)
		fmt.Fprintf(&s.out, "== %s %s\n%s\n", d.ID, d.Status, d.Result)
	}
	for _, of := range []string{"main", "main^2"} {
		fmt.Fprintf(&s.out, "== %s\n%s\n", of, s.Main.Git("log", "--first-parent", "--format=%an: %B", of))
	}
	s.compare("ways")
	s.Sound()
}

// Work is proposed by a pull request, whose forge says how it stands.
func TestProposalsAreTold(t *testing.T) {
	s := newTold(t, map[string]string{"memoryd": `exit 3`, "gh": `case "$1 $2" in
"pr list") cat list ;;
"pr create") cat > body; echo https://github.com/acme/app/pull/7 ;;
"pr view") cat view ;;
"api --hostname") echo '{"allow_merge_commit":true}' ;;
"pr merge") test -e allowed || { echo 'auto-merge is not allowed' >&2; exit 1; } ;;
esac`})
	put := func(name, text string) {
		worktreetest.Must(t, os.WriteFile(filepath.Join(s.bin, name), []byte(text), 0o600))
	}
	put("list", "[]")
	far := gittest.NewBare(t)
	s.Main.Git("remote", "add", "origin", "https://github.com/acme/app.git")
	s.Main.Git("config", "url."+far.Dir+".insteadOf", "https://github.com/acme/app.git")
	s.Main.Git("push", "-q", "origin", "main")
	s.store.Forges = &forge.Store{Trees: s.Worktrees, Notice: func(text string) { fmt.Fprintf(&s.out, "-- %s\n", text) }, Env: os.Environ()}
	b := s.begin("ann", "T-1")
	s.commit(b, "login.go")
	s.show("where work waits for a review", nil, func() error {
		_, err := s.finish("ann", func(q *assignment.FinishRequest) { q.Land, q.Asker = worktree.LandPR, land.Asker{Agent: "ann"} })
		return err
	}())
	s.Set.Land, s.Set.LandSet, s.Set.AutoMerge = worktree.LandPR, true, true
	s.Set.Gate = []string{"test -e login_test.go"}
	s.ends("red", "ann", nil)
	s.commit(b, "login_test.go")
	put("list", "not JSON")
	s.ends("a forge that answers oddly", "ann", nil)
	put("list", "[]")
	s.ends("proposed", "ann", func(q *assignment.FinishRequest) { q.Summary = "With a form." })
	put("allowed", "")
	s.ends("proposed again", "ann", nil)
	head := s.Main.At(b.Worktree.Path).Head()
	one := `{"number":7,"url":"https://github.com/acme/app/pull/7","state":"OPEN","mergeable":"MERGEABLE","mergeStateStatus":"CLEAN","headRefOid":"` + head + `","headRepositoryOwner":{"login":"acme"},"statusCheckRollup":[{"conclusion":"FAILURE"}]}`
	put("list", "["+one+"]")
	put("view", one)
	s.commit(b, "more.go")
	s.ends("more of it", "ann", nil)
	out, proposed, err := s.store.Propose(t.Context(), land.Request{Repo: "app", Worktree: b.Worktree.ID, By: "ann"})
	if !proposed {
		t.Error("not proposed")
	}
	s.show("asked to land", out, err)
	_, _, err = s.store.Propose(t.Context(), land.Request{Repo: "app", Worktree: "w-none"})
	s.show("asked to land, and not there", nil, err)
	body, _ := os.ReadFile(filepath.Join(s.bin, "body"))
	fmt.Fprintf(&s.out, "== body\n%s\n== the task is %s\n", body, s.status("T-1"))
	if err := s.DB.Read(t.Context(), func(tx *registry.Tx) error {
		w, err := worktree.ByRef(tx, b.Worktree.ID)
		if err != nil {
			return err
		}
		v, _, err := review.Last(tx, w.ID)
		s.show("its review", v, err)
		return nil
	}); err != nil {
		t.Error(err)
	}
	s.compare("proposals")
}

// Obstacles in a worktree keep it from being finished until they are settled.
func TestObstaclesAreTold(t *testing.T) {
	s := newTold(t, map[string]string{"memoryd": `exit 3`})
	b := s.begin("ann", "T-1")
	tree := s.Main.At(b.Worktree.Path)
	tree.Commit("Log in", "login.go", "package x\n", "b.txt", "mine\n")
	ends := func(title string) {
		s.ends(title, "ann", func(q *assignment.FinishRequest) { q.Commit, q.Land = true, worktree.LandNever })
	}
	tree.Git("switch", "-q", "-c", "elsewhere")
	ends("on another branch")
	tree.Git("switch", "-q", "--detach")
	ends("on none")
	tree.Git("switch", "-q", b.Worktree.Branch)
	s.Main.Commit("theirs", "b.txt", "theirs\n")
	if _, err := tree.TryGit("merge", "main"); err == nil {
		t.Error("no conflict")
	}
	ends("in a merge")
	tree.Git("merge", "--abort")
	tree.Write(".env.local", "KEY=1\n")
	tree.Write("id_rsa", "x\n")
	ends("secrets")
	tree.Remove(".env.local")
	tree.Remove("id_rsa")
	tree.Git("init", "-q", "lib")
	ends("a repository")
	worktreetest.Must(t, os.RemoveAll(tree.Path("lib")))
	lock := filepath.Join(tree.Repo().GitDir, "index.lock")
	worktreetest.Must(t, os.WriteFile(lock, nil, 0o600))
	ends("a git at work")
	worktreetest.Must(t, os.Remove(lock))
	s.Main.Hook("pre-commit", "test ! -e bad.go || { echo bad >&2; exit 1; }")
	tree.Write("bad.go", "package x\n")
	ends("a hook that refuses")
	tree.Remove("bad.go")
	tree.Git("mv", "a.txt", "moved.txt")
	tree.Write("dir/c.txt", "edited\n")
	tree.Write("new é.txt", "new\n")
	tree.Write("x.log", "ignored\n")
	tree.Git("rm", "-q", "login.go")
	ends("settled")
	fmt.Fprintf(&s.out, "== the commit\n%s\n", tree.Git("show", "--format=%B", "--name-status", "-M", "HEAD"))
	_, err := s.store.Tasks.Report(t.Context(), task.Report{ID: "T-1", Status: task.Pending, Caller: task.Caller{Force: true}})
	worktreetest.Must(t, err)
	ends("of a task that was given back")
	s.compare("obstacles")
}
