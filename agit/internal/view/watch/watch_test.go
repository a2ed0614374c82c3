package watch_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/agents/presence"
	"github.com/agit-suite/agit/agit/internal/view/watch"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// Writes of other processes are reported in order, and so are changes by silence. An agent that already asks is reported first, by which
// the test notices that the watch listens.
func TestFollow(t *testing.T) {
	db := registrytest.Open(t)
	other := registrytest.OpenAt(t, db.Path()) // as another process
	const stale = 2 * time.Second
	states := &presence.Store{DB: other, StaleAfter: stale}
	quiet := map[string]time.Duration{"ann": time.Hour} // only cyd's silence has an effect
	say := func(agent string, state presence.State, note string) {
		t.Helper()
		if err := states.Say(t.Context(), presence.Statement{Agent: agent, State: state, Note: note, Source: presence.Hook, Quiet: quiet[agent]}); err != nil {
			t.Fatal(err)
		}
	}
	finish := func(status, branch string) {
		t.Helper()
		if err := other.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			for _, statement := range []string{
				`UPDATE worktrees SET status = '` + status + `', finished_at = '` + tx.Stamp() + `' WHERE branch = '` + branch + `'`,
				`UPDATE items SET status = 'completed', state = 'done', finished_at = '` + tx.Stamp() + `' WHERE ref = 't-` + branch + `'`,
			} {
				if _, err := tx.Exec(statement); err != nil {
					return err
				}
			}
			tx.Changed(registry.TopicWorktrees, 0, "")
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := other.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		at := "'" + tx.Stamp() + "'"
		for _, statement := range []string{
			`INSERT INTO projects (id, uid, name, created_at, updated_at) VALUES (1, 'p', 'app', ` + at + `, ` + at + `)`,
			`INSERT INTO repos (id, uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
			 VALUES (1, 'r', 1, 'app', 'app', '` + registry.Host() + `', '/app', '/app/.git', 'main', ` + at + `, ` + at + `)`,
			`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at) VALUES (1, 'i1', 1, 'task', 't-one', 't-one', 'Count', 'in_progress', 'active', ` + at + `, ` + at + `)`,
			`INSERT INTO items (id, uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at) VALUES (2, 'i2', 1, 'task', 't-alone', 't-alone', 'Think', 'in_progress', 'active', ` + at + `, ` + at + `)`,
			`INSERT INTO tasks (item_id, repo_id) VALUES (1, 1), (2, 1)`,
			`INSERT INTO worktrees (uid, ref, repo_id, host, item_id, path, branch, status, created_at, updated_at) VALUES
			 ('1', 'w-one', 1, '` + registry.Host() + `', 1, '/app/.worktrees/count', 'one', 'active', ` + at + `, ` + at + `),
			 ('2', 'w-two', 1, '` + registry.Host() + `', NULL, '/app/.worktrees/sum', 'two', 'active', ` + at + `, ` + at + `)`,
		} {
			if _, err := tx.Exec(statement); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	insert := func(statement string) {
		t.Helper()
		if err := other.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			_, err := tx.Exec(strings.ReplaceAll(statement, "NOW", "'"+tx.Stamp()+"'"))
			tx.Changed(registry.TopicWorktrees, 0, "")
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	landing := func(result, reason string) {
		insert(`INSERT INTO landings (uid, project_id, repo_id, worktree_id, host, pid, process, state, strategy, target, tip_oid, gate_result, reason, asked_at)
			VALUES ('l` + result + `', 1, 1, 2, 'h', 1, '', 'returned', 'merge', 'main', '1', '` + result + `', '` + reason + `', NOW)`)
	}
	say("ann", presence.Waiting, "which port?")
	kinds, err := watch.Kinds([]string{"any"})
	if err != nil {
		t.Fatal(err)
	}
	steps := []func(){
		func() { say("ann", presence.Working, ""); say("bob", presence.Waiting, "") },
		func() { say("bob", presence.Idle, "") },
		func() { landing("failed", "make: exit 2") },
		func() { landing("", "main moved") },
		func() {
			insert(`INSERT INTO reviews (uid, project_id, worktree_id, state, tip_oid, asked_at) VALUES ('v', 1, 2, 'waiting', '1', NOW)`)
		},
		func() { insert(`UPDATE reviews SET state = 'returned', why = 'say why' WHERE uid = 'v'`) },
		func() { finish("conflict", "two") },
		func() { finish("completed", "one") },
		func() { finish("", "alone") },
		func() { say("ann", presence.Gone, "") },
		func() { say("cyd", presence.Waiting, "") },
		func() { say("cyd", presence.Working, "") }, // and no further event
	}
	var told []string
	err = (&watch.Store{DB: db, Presence: &presence.Store{DB: db, StaleAfter: stale}}).Follow(t.Context(), watch.Options{Kinds: kinds}, func(e watch.Event) (bool, error) {
		told = append(told, string(e.Kind)+": "+e.Text)
		if len(steps) == 0 {
			return false, nil
		}
		steps[0]()
		steps = steps[1:]
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"waiting: ann is waiting for you: which port?", "waiting: bob is waiting for you", "idle: bob is idle",
		"returned: sum has not landed in app: its gate failed", "returned: sum has not landed in app: main moved",
		"review: sum is to be reviewed in app", "returned: sum has not landed in app: returned: say why", "returned: sum has not landed in app: it conflicts", "landed: count has landed in app", "completed: task t-alone is completed: Think",
		"gone: ann is gone", "waiting: cyd is waiting for you", "gone: cyd is gone",
	}, told); diff != "" {
		t.Error(diff)
	}

	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := (&watch.Store{DB: db, Presence: states}).Follow(ended, watch.Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a watch that is stopped: %v", err)
	}
}
