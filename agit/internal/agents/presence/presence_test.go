package presence_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/worktree/process"
	"github.com/agit-suite/agit/agit/internal/worktree/spawn"
	"github.com/agit-suite/agit/agit/internal/worktree/worktreetest"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/agent/seat"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// lab is a store with the agent ann, who has the worktrees w-one and w-two.
type lab struct {
	*testing.T
	s      *presence.Store
	folder string
}

func newLab(t *testing.T) *lab {
	l := &lab{T: t, s: &presence.Store{DB: registrytest.Open(t), StaleAfter: time.Hour}, folder: t.TempDir()}
	l.write(func(tx *registry.Tx) error {
		a, err := agent.Register(tx, agent.Registration{Name: "ann"})
		if err != nil {
			return err
		}
		for _, statement := range []string{
			`INSERT INTO projects (id, uid, name, created_at, updated_at) VALUES (1, 'p', 'app', '` + tx.Stamp() + `', '` + tx.Stamp() + `')`,
			`INSERT INTO repos (id, uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
			 VALUES (1, 'r', 1, 'app', 'app', '` + registry.Host() + `', '/app', '/app/.git', 'main', '` + tx.Stamp() + `', '` + tx.Stamp() + `')`,
		} {
			if _, err := tx.Exec(statement); err != nil {
				return err
			}
		}
		for _, w := range []struct{ ref, path string }{{"w-one", l.folder}, {"w-two", "/elsewhere"}} {
			if _, err := tx.Exec(`INSERT INTO worktrees (uid, ref, repo_id, host, agent_id, path, branch, status, created_at, updated_at)
				VALUES (?, ?, 1, ?, ?, ?, ?, 'active', ?, ?)`, w.ref, w.ref, registry.Host(), a.ID, w.path, w.ref, tx.Stamp(), tx.Stamp()); err != nil {
				return err
			}
		}
		return nil
	})
	return l
}

func (l *lab) write(fn func(*registry.Tx) error) {
	l.Helper()
	if err := l.s.DB.Write(l.Context(), registry.Everything, fn); err != nil {
		l.Fatal(err)
	}
}

func (l *lab) say(st presence.Statement) {
	l.Helper()
	if st.Source == "" {
		st.Source = presence.Hook
	}
	if err := l.s.Say(l.Context(), st); err != nil {
		l.Fatal(err)
	}
}

// age makes everything that was said so far older.
func (l *lab) age(d time.Duration) {
	l.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE agent_states SET said_at = ?, since = ?`, registry.FormatTime(tx.Now().Add(-d)), registry.FormatTime(tx.Now().Add(-d)))
		return err
	})
}

// list returns what agents do, in a repository unless it is 0.
func list(t *testing.T, s *presence.Store, repoID int64) []presence.Presence {
	t.Helper()
	found, err := registry.Read(t.Context(), s.DB, func(tx *registry.Tx) ([]presence.Presence, error) { return presence.List(tx, s.StaleAfter, repoID) })
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// states are what is shown, a line for each: agent, worktree, state, note and source.
func (l *lab) states() (lines []string) {
	l.Helper()
	for _, p := range list(l.T, l.s, 0) {
		lines = append(lines, strings.TrimSpace(strings.Join([]string{p.Agent, p.Worktree, string(p.State), p.Note, string(p.Source)}, " ")))
	}
	return lines
}

func (l *lab) want(lines ...string) {
	l.Helper()
	if diff := cmp.Diff(lines, l.states()); diff != "" {
		l.Error(diff)
	}
}

func TestStatesOfASession(t *testing.T) {
	l := newLab(t)
	l.want("ann w-one working  silence", "ann w-two working  silence")
	l.say(presence.Statement{Folder: l.folder, Session: "s", State: presence.Working})
	l.want("ann w-one working  hook", "ann w-two idle  silence")
	l.say(presence.Statement{Folder: l.folder, Session: "s", State: presence.Waiting, Note: "run \"npm install\"?", Asked: "npm"})
	l.want(`ann w-one waiting for you run "npm install"? hook`, "ann w-two idle  silence")
	l.say(presence.Statement{Folder: l.folder, Session: "s", State: presence.Waiting, Note: "needs a permission"})
	l.want(`ann w-one waiting for you run "npm install"? hook`, "ann w-two idle  silence")
	// Another call of the same turn ends: the person is waited for all the same.
	l.say(presence.Statement{Folder: l.folder, Session: "s", State: presence.Working, Ended: "cat"})
	l.want(`ann w-one waiting for you run "npm install"? hook`, "ann w-two idle  silence")
	l.say(presence.Statement{Folder: l.folder, Session: "s", State: presence.Working, Ended: "npm"})
	l.say(presence.Statement{Folder: l.folder, Session: "s", State: presence.Idle})
	l.want("ann w-one idle  hook", "ann w-two idle  silence")
	l.say(presence.Statement{Folder: l.folder, Session: "s", State: presence.Gone})
	l.say(presence.Statement{Folder: l.folder, Session: "never seen", State: presence.Gone})
	l.want("ann w-one gone  hook", "ann w-two gone  hook")
}

func TestANewSessionTakesThePlaceOfASilentOne(t *testing.T) {
	l := newLab(t)
	l.say(presence.Statement{Worktree: "w-one", Session: "closed", State: presence.Waiting, Note: "allow?"})
	l.say(presence.Statement{Worktree: "w-two", Session: "other", State: presence.Waiting, Note: "and this?"})
	l.age(2 * time.Minute)
	l.say(presence.Statement{Worktree: "w-one", Session: "new", State: presence.Working})
	l.want("ann w-two waiting for you and this? hook", "ann w-one working  hook")
	l.age(8 * 24 * time.Hour)
	l.say(presence.Statement{Worktree: "w-one", Session: "newer", State: presence.Working})
	l.write(func(tx *registry.Tx) error {
		n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM agent_states`))
		if n != 1 {
			t.Errorf("%d sessions are kept", n)
		}
		return err
	})
}

// A client that `agit work` had to kill does not take its question back: the end of the run does, and only there.
func TestTheEndOfARunEndsWhatItsHooksSaid(t *testing.T) {
	l := newLab(t)
	l.say(presence.Statement{Agent: "ann", Worktree: "w-one", Session: "run", State: presence.Working, Source: presence.Work})
	l.say(presence.Statement{Worktree: "w-one", Session: "client", State: presence.Waiting, Note: "allow?"})
	l.say(presence.Statement{Worktree: "w-two", Session: "other", State: presence.Waiting, Note: "and this?"})
	l.say(presence.Statement{Agent: "ann", Worktree: "w-one", Session: "run", State: presence.Gone, Source: presence.Work})
	l.want("ann w-two waiting for you and this? hook", "ann w-one gone  work")
}

// An agent is gone from its worktrees too when its client's session ends, wherever that was; of a client without hooks, when the
// process does.
func TestAnAgentLeavesItsWorktreesWithItsSession(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	elsewhere := t.TempDir()
	l.say(presence.Statement{Agent: "ann", Folder: elsewhere, Session: "s", State: presence.Working})
	l.want("ann  working  hook", "ann w-one idle  silence", "ann w-two idle  silence")
	l.say(presence.Statement{Agent: "ann", Folder: elsewhere, Session: "s", State: presence.Gone})
	l.want("ann  gone  hook", "ann w-one gone  hook", "ann w-two gone  hook")

	silent := newLab(t)
	silent.want("ann w-one working  silence", "ann w-two working  silence")
	silent.write(func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO seats (name, client, host, pid, mark, taken_at) VALUES ('ann', 'zed', ?, 1, 'a process that ended', ?)`, registry.Host(), tx.Stamp())
		return err
	})
	silent.want("ann w-one gone  silence", "ann w-two gone  silence")
}

// A named agent that works outside of every repository does not leave rows for ever either.
func TestSessionsOutsideOfRepositoriesAreForgotten(t *testing.T) {
	l := newLab(t)
	elsewhere := t.TempDir()
	l.say(presence.Statement{Agent: "bob", Folder: elsewhere, Session: "old", State: presence.Working})
	l.say(presence.Statement{Agent: "cyd", Folder: elsewhere, Session: "old", State: presence.Working})
	l.age(8 * 24 * time.Hour)
	l.say(presence.Statement{Agent: "bob", Folder: elsewhere, Session: "new", State: presence.Working})
	l.write(func(tx *registry.Tx) error {
		n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM agent_states`))
		if n != 2 {
			t.Errorf("%d sessions are kept", n)
		}
		return err
	})
}

func TestWhoseHookItIs(t *testing.T) {
	l := newLab(t)
	l.say(presence.Statement{Folder: t.TempDir(), Client: seat.Client{Name: "claude-code", Conversation: "one"}, Session: "s", State: presence.Working})
	l.say(presence.Statement{Folder: l.folder, Client: seat.Client{Name: "claude-code", Conversation: "two"}, Session: "s", State: presence.Working})
	l.say(presence.Statement{Agent: "bob", Folder: l.folder, Session: "s", State: presence.Idle})
	l.say(presence.Statement{Agent: "cyd", Folder: t.TempDir(), State: presence.Working, Source: presence.Work})
	l.want("ann w-one working  hook", "cyd  working  work", "ann w-two idle  silence", "bob w-one idle  hook")
	bobs := slices.DeleteFunc(list(t, l.s, 1), func(p presence.Presence) bool { return p.Agent != "bob" })
	if len(bobs) != 1 || bobs[0].Repo != "app" || bobs[0].Worktree != "w-one" {
		t.Errorf("%+v", bobs)
	}
	if err := l.s.Say(t.Context(), presence.Statement{Agent: "bob", State: "busy"}); !fault.Is(err, fault.KindValidation) {
		t.Errorf("a state of its own making: %v", err)
	}
}

// The state of an agent on another machine is known when the agent holds a task of the repository, else not.
func TestAgentsOnOtherMachines(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.write(func(tx *registry.Tx) error {
		repos := `INSERT INTO repos (uid, name_key, common_dir, id, project_id, host, name, path, default_branch, created_at, updated_at)
			SELECT id, id, id, id, project, host, 'app', '/app', 'main', s, s FROM (SELECT '` + tx.Stamp() + `' AS s, `
		for _, statement := range []string{
			`INSERT INTO projects (id, uid, name, created_at, updated_at) VALUES (2, 'p2', 'other', '` + tx.Stamp() + `', '` + tx.Stamp() + `')`,
			repos + `2 AS id, 1 AS project, 'laptop' AS host) AS r`,
			repos + `3 AS id, 2 AS project, 'laptop' AS host) AS r`,
			repos + `4 AS id, 1 AS project, '` + registry.Host() + `' AS host) AS r`,
			`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
			 VALUES (1, 'i', 1, 'task', 'T-1', 't-1', 'x', 'in_progress', 'active', '` + tx.Stamp() + `', '` + tx.Stamp() + `')`,
			`INSERT INTO tasks (item_id, repo_id) VALUES (1, 1)`,
		} {
			if _, err := tx.Exec(statement); err != nil {
				return err
			}
		}
		for i, name := range []string{"bob", "cyd", "of another project", "of another clone here"} {
			a, err := agent.Register(tx, agent.Registration{Name: name})
			if err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO worktrees (uid, ref, repo_id, host, agent_id, path, branch, status, created_at, updated_at)
				SELECT ?, ?, id, host, ?, ?, 'b', 'active', ?, ? FROM repos WHERE id = ?`, "w-"+name, "w-"+name, a.ID, "/w/"+name, tx.Stamp(), tx.Stamp(), max(2, i+1)); err != nil {
				return err
			}
			if i > 0 {
				continue
			}
			if _, err := tx.Exec(`INSERT INTO leases (item_id, agent_id, epoch, agent_epoch, claimed_at) VALUES (1, ?, 1, 1, ?)`, a.ID, tx.Stamp()); err != nil {
				return err
			}
		}
		return nil
	})
	var got []string
	for _, p := range list(t, l.s, 1) {
		got = append(got, p.Agent+" "+p.Host)
	}
	if !slices.Equal(got, []string{"ann ", "ann ", "bob laptop", "cyd laptop"}) {
		t.Errorf("%q", got)
	}
}

// A session counts in the working tree that its client is in, whoever made that, and beside others only while it is awake.
func TestSessionsInWorkingTrees(t *testing.T) {
	t.Parallel()
	f := worktreetest.New(t)
	s := &presence.Store{DB: f.DB, StaleAfter: time.Hour}
	own := f.Spawn(spawn.Request{Task: "Own", Agent: "ann"})
	claude, inner := filepath.Join(f.Main.Dir, ".claude", "worktrees", "fix"), filepath.Join(own.Path, "inner")
	f.Main.Git("worktree", "add", "-q", "-b", "fix", claude)
	f.Main.Git("worktree", "add", "-q", "-b", "inner", inner)
	say := func(folder, worktree, session string, state presence.State) {
		t.Helper()
		worktreetest.Must(t, s.Say(t.Context(), presence.Statement{Folder: folder, Worktree: worktree, Client: seat.Client{Name: "claude", Conversation: session}, Session: session, State: state, Source: presence.Hook}))
	}
	say(claude, "", "a", presence.Working)
	say(claude, "", "b", presence.Idle)
	say(claude, own.Ref, "c", presence.Working) // what AGIT_WORKTREE names is not where it is
	say(inner, "", "d", presence.Working)
	say(own.Path, "", "e", presence.Working)
	say(own.Path, "", "f", presence.Idle)
	say(f.Main.Dir, own.Ref, "g", presence.Waiting)
	want := func(lines ...string) {
		t.Helper()
		var got []string
		for _, p := range list(t, s, f.Repo.ID) {
			got = append(got, fmt.Sprintf("%s %s %q %d", p.Agent, filepath.Base(p.Folder), p.Name, p.Sessions))
		}
		slices.Sort(got)
		if diff := cmp.Diff(lines, got); diff != "" {
			t.Error(diff)
		}
	}
	name := fmt.Sprintf("%q", filepath.Base(own.Path))
	at := filepath.Base(own.Path)
	want("ann "+at+" "+name+" 3", `claude-1 fix "" 1`, `claude-2 fix "" 1`, `claude-3 fix "" 1`, `claude-4 inner "" 1`)
	f.Exec(`UPDATE agent_states SET said_at = ? WHERE state = 'idle'`, worktreetest.Stamp(-2*time.Hour))
	want("ann "+at+" "+name+" 2", `claude-1 fix "" 1`, `claude-2 fix "" 0`, `claude-3 fix "" 1`, `claude-4 inner "" 1`)
}

// An agent's question comes from a model: it holds no secret and drives no terminal.
func TestNotesAreHarmless(t *testing.T) {
	l := newLab(t)
	token := "ghp_" + strings.Repeat("a1B2", 9)
	l.say(presence.Statement{Worktree: "w-one", Session: "s", State: presence.Waiting,
		Note: "run\n\x1b]0;title\x07\x1b[31mcurl\u202e -H " + token + "\x00?" + strings.Repeat(" more", 100)})
	note := list(t, l.s, 0)[0].Note
	if !strings.HasPrefix(note, "run curl -H [redacted ") || !strings.HasSuffix(note, " more…") || len(note) > 200 || strings.Contains(note, token) {
		t.Errorf("%q", note)
	}
}

// A hook runs with each tool: a state that was reported a moment ago is not written again.
func TestTheSameStateIsNotWrittenTwice(t *testing.T) {
	registrytest.OnlySQLite(t, "a second opening by the file's path is another registry")
	l := newLab(t)
	var statements registrytest.Statements
	db, err := registry.Open(t.Context(), registry.Options{Path: l.s.DB.Path(), Log: statements.Log()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &presence.Store{DB: db}
	writes := func(st presence.Statement) (n int) {
		st.Worktree, st.Session, st.Source = "w-one", "s", presence.Hook
		statements.Take()
		if err := s.Say(t.Context(), st); err != nil {
			t.Fatal(err)
		}
		for _, text := range statements.Take() {
			if strings.HasPrefix(text, "INSERT INTO agent_states") {
				n++
			}
		}
		return n
	}
	for i, c := range []struct {
		st   presence.Statement
		want int
	}{
		{presence.Statement{State: presence.Working}, 1},
		{presence.Statement{State: presence.Working}, 0},
		{presence.Statement{State: presence.Working, Quiet: time.Hour}, 1},
		{presence.Statement{State: presence.Working, Quiet: time.Hour}, 0},
		{presence.Statement{State: presence.Working}, 0}, // the tool was quick
		{presence.Statement{State: presence.Idle}, 1},
		{presence.Statement{State: presence.Idle}, 0},
	} {
		if got := writes(c.st); got != c.want {
			t.Errorf("statement %d: %d writes", i, got)
		}
	}
	l.age(time.Minute)
	if writes(presence.Statement{State: presence.Idle}) != 1 {
		t.Error("a minute later the state is not confirmed")
	}
}

// A call of an agent is a sign of the one session that it has, and of none of several.
func TestSilentSessions(t *testing.T) {
	l := newLab(t)
	l.say(presence.Statement{Worktree: "w-one", Session: "s", State: presence.Working})
	l.age(2 * time.Hour)
	l.want("ann w-one working  hook", "ann w-two idle  silence")
	l.say(presence.Statement{Worktree: "w-two", Session: "other", State: presence.Idle})
	l.want("ann w-two idle  hook", "ann w-one gone  silence")
}

// A state that `agit work` reported holds no longer than its run: a killed worker takes neither its question nor its work back.
func TestKilledRuns(t *testing.T) {
	l := newLab(t)
	run := func(name, host, state string, pid int) {
		l.write(func(tx *registry.Tx) error {
			return tx.Do(`INSERT INTO attempts (run, item_id, agent_id, cause, host, pid, mark, state, started_at)
				VALUES (?, 1, (SELECT id FROM agents), 'begun', ?, ?, ?, ?, ?)`, name, host, pid, process.Mark(), state, tx.Stamp())
		})
		l.say(presence.Statement{Worktree: "w-one", Host: host, Session: name, State: presence.Waiting, Note: "q-1: make", Asked: "q-1", Source: presence.Work})
	}
	l.write(func(tx *registry.Tx) error {
		return tx.Do(`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
			VALUES (1, 'i', 1, 'task', 't-1', 't-1', 'sort', 'in_progress', 'active', ?, ?)`, tx.Stamp(), tx.Stamp())
	})
	const nothing = 1 << 30 // no process has this number
	run("killed", registry.Host(), "running", nothing)
	l.want("ann w-one gone  work", "ann w-two gone  work")
	run("picked-up", registry.Host(), "lost", os.Getpid())
	run("picked-up-there", "there", "lost", nothing)
	l.want("ann w-one gone  work", "ann w-two gone  work")
	for _, r := range []struct {
		host string
		pid  int
	}{{registry.Host(), os.Getpid()}, {"there", nothing}} {
		run("run", r.host, "running", r.pid)
		l.want("ann w-one waiting for you q-1: make work", "ann w-two idle  silence")
		l.write(func(tx *registry.Tx) error { return tx.Do(`DELETE FROM attempts WHERE run = 'run'`) })
		l.say(presence.Statement{Worktree: "w-one", Host: r.host, Session: "run", State: presence.Gone, Source: presence.Work})
	}
}

// An agent that is gone has one row for all the worktrees that were removed, and none where another row of it is shown.
func TestRemovedWorktrees(t *testing.T) {
	l := newLab(t)
	remove := func(worktrees string) {
		l.write(func(tx *registry.Tx) error {
			return tx.Do(`UPDATE worktrees SET status = 'completed' WHERE ref IN (` + worktrees + `)`)
		})
	}
	for _, w := range []string{"w-one", "w-two"} {
		l.say(presence.Statement{Worktree: w, Session: w, State: presence.Working})
	}
	remove(`'w-one'`)
	l.want("ann  working  hook", "ann w-two working  hook")
	l.say(presence.Statement{Agent: "ann", Worktree: "w-one", Session: "w-one", State: presence.Gone})
	l.want("ann w-two working  hook")
	l.say(presence.Statement{Worktree: "w-two", Session: "w-two", State: presence.Gone})
	l.want("ann w-two gone  hook")
	remove(`'w-two'`)
	l.want("ann  gone  hook")
	l.say(presence.Statement{Agent: "ann", Worktree: "w-two", Session: "new", State: presence.Idle})
	l.want("ann  idle  hook")
	l.write(func(tx *registry.Tx) error { // that one's client was in a working tree that no row names
		return tx.Do(`UPDATE agent_states SET worktree_id = NULL, folder = '/app' WHERE session = 'w-one'`)
	})
	l.want("ann  idle  hook", "ann  gone  hook")
}
