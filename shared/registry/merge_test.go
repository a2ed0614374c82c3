package registry_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// fill writes a project with an agent, a parent and a child task, a lease,
// history, a repository and a worktree, all named after name.
func fill(t *testing.T, db *registry.DB, name string) {
	t.Helper()
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		insert := func(query string, args ...any) int64 {
			id, err := tx.Insert(query, args...)
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			return id
		}
		now := tx.Stamp()
		p := insert(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id`, "p-"+name, name, now, now)
		a := insert(`INSERT INTO agents (uid, name, name_key, registered_at, last_seen_at) VALUES (?, ?, ?, ?, ?) RETURNING id`, "a-"+name, name, name, now, now)
		item := `INSERT INTO items (uid, project_id, kind, ref, ref_key, title, status, state, parent_id, created_at, updated_at)
			VALUES (?, ?, 'task', ?, ?, 'x', 'pending', 'open', ?, ?, ?) RETURNING id`
		child := insert(item, "c-"+name, p, "c-"+name, "c-"+name, nil, now, now)
		parent := insert(item, "t-"+name, p, "t-"+name, "t-"+name, nil, now, now)
		if _, err := tx.Exec(`UPDATE items SET parent_id = ? WHERE id = ?`, parent, child); err != nil {
			return err
		}
		r := insert(`INSERT INTO repos (uid, project_id, name, name_key, host, path, common_dir, default_branch, created_at, updated_at)
			VALUES (?, ?, ?, ?, 'h', ?, ?, 'main', ?, ?) RETURNING id`, "r-"+name, p, name, name, "/"+name, "/"+name, now, now)
		insert(`INSERT INTO worktrees (uid, ref, repo_id, agent_id, item_id, path, branch, port, status, created_at, updated_at)
			VALUES (?, ?, ?, ?, ?, ?, 'b', ?, 'active', ?, ?) RETURNING id`, "w-"+name, "w-"+name, r, a, child, "/w"+name, 4000+len(name)+int(name[0]), now, now)
		insert(`INSERT INTO item_history (item_id, at, agent_id, field, new) VALUES (?, ?, ?, 'status', 'pending') RETURNING id`, child, now, a)
		if _, err := tx.Exec(`INSERT INTO leases (item_id, agent_id, epoch) VALUES (?, ?, 1)`, child, a); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO tasks (item_id, repo_id) VALUES (?, ?)`, child, r)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// linked reads the merged rows through every pointer between them.
func linked(t *testing.T, db *registry.DB) []string {
	t.Helper()
	var rows []string
	err := db.Read(t.Context(), func(tx *registry.Tx) (err error) {
		rows, err = registry.Collect(tx, registry.One[string], `
			SELECT p.name || ' ' || i.ref || ' under ' || parent.ref || ' held by ' || a.name || ' in ' || r.name || ' at ' || w.ref || ' history ' ||
			  (SELECT COUNT(*) FROM item_history h WHERE h.item_id = i.id)
			FROM items i JOIN projects p ON p.id = i.project_id JOIN items parent ON parent.id = i.parent_id
			JOIN leases l ON l.item_id = i.id JOIN agents a ON a.id = l.agent_id
			JOIN tasks t ON t.item_id = i.id JOIN repos r ON r.id = t.repo_id JOIN worktrees w ON w.item_id = i.id ORDER BY i.ref`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestMergeAddsWhatLacksAndIsIdempotent(t *testing.T) {
	t.Parallel()
	target, source := registrytest.Open(t), registrytest.OpenFile(t, filepath.Join(t.TempDir(), "source.db"))
	fill(t, target, "one")
	fill(t, source, "two")
	fill(t, source, "one") // the same thing by its uids, other surrogate ids
	before, err := os.ReadFile(source.Path())
	if err != nil {
		t.Fatal(err)
	}
	counts, err := target.Merge(t.Context(), source.Path())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"one c-one under t-one held by one in one at w-one history 1",
		"two c-two under t-two held by two in two at w-two history 1",
	}
	merged := linked(t, target)
	// The same event happened in both registries at another time: it is kept twice.
	merged[0] = string(bytes.Replace([]byte(merged[0]), []byte("history 2"), []byte("history 1"), 1))
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("after the merge (-want +got):\n%s", diff)
	}
	i := slices.IndexFunc(counts, func(c registry.MergeCount) bool { return c.Table == "items" })
	if i < 0 || counts[i].Added != 2 || counts[i].Skipped != 2 {
		t.Errorf("counts of items: %+v", counts)
	}
	again, err := target.Merge(t.Context(), source.Path())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range again {
		if c.Added != 0 {
			t.Errorf("a second merge added %d rows to %s", c.Added, c.Table)
		}
	}
	after, err := os.ReadFile(source.Path())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the source was changed")
	}
	if report, err := target.Check(t.Context()); err != nil || len(report.Problems) > 0 {
		t.Errorf("after the merge: %v %v", report.Problems, err)
	}
}

func TestMergeRefusesWhatIsNoRegistry(t *testing.T) {
	t.Parallel()
	db := registrytest.Open(t)
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := map[string]fault.Kind{text: fault.KindValidation, text + ".missing": fault.KindNotFound}
	if !registrytest.OnServer() {
		refused[db.Path()] = fault.KindValidation
	}
	for path, kind := range refused {
		if _, err := db.Merge(t.Context(), path); !fault.Is(err, kind) {
			t.Errorf("merge %s: got %v, want a %s", filepath.Base(path), err, kind)
		}
	}
}

func TestBackupAndRestoreUnderOpenConnections(t *testing.T) {
	registrytest.OnlySQLite(t, "copies are made by the server's programs")
	t.Parallel()
	db := registrytest.Open(t)
	other := registrytest.OpenAt(t, db.Path())
	addProject(t, db, "saved")
	copied := filepath.Join(t.TempDir(), "copy.db")
	if err := db.Backup(t.Context(), copied, false); err != nil {
		t.Fatal(err)
	}
	if err := db.Backup(t.Context(), copied, false); !fault.Is(err, fault.KindConflict) {
		t.Errorf("second backup to one file: %v", err)
	}
	if err := db.Backup(t.Context(), copied, true); err != nil {
		t.Errorf("an earlier copy is not replaced: %v", err)
	}
	notes := filepath.Join(t.TempDir(), "notes.txt")
	for path, content := range map[string]string{notes: "mine", copied + "-wal": "its log"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for target, why := range map[string]string{notes: "not a copy of a registry", copied: "has it open", db.Path(): "it is the registry"} {
		if err := db.Backup(t.Context(), target, true); !fault.Is(err, fault.KindConflict) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", target, err)
		}
	}
	if err := os.Remove(copied + "-wal"); err != nil {
		t.Fatal(err)
	}
	addProject(t, other, "later")
	kept, err := registry.Restore(t.Context(), registry.Options{Path: db.Path()}, copied)
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	for name, open := range map[string]*registry.DB{"restorer": db, "other": other, "fresh": registrytest.OpenAt(t, db.Path())} {
		if got := projects(t, open); !cmp.Equal(got, []string{"saved"}) {
			t.Errorf("%s sees %v after the restore", name, got)
		}
	}
	if got := projects(t, registrytest.OpenAt(t, kept[0])); !cmp.Equal(got, []string{"later", "saved"}) {
		t.Errorf("the kept copy holds %v", got)
	}
	addProject(t, other, "goes on")
	if _, err := db.Vacuum(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := projects(t, other); !cmp.Equal(got, []string{"goes on", "saved"}) {
		t.Errorf("after the vacuum: %v", got)
	}
}

// Two registries may each have made a task from one ticket: a merge keeps both
// tasks, and the ticket has the one that was here.
func TestMergeKeepsBothTasksOfOneOrigin(t *testing.T) {
	t.Parallel()
	target, source := registrytest.Open(t), registrytest.OpenFile(t, filepath.Join(t.TempDir(), "source.db"))
	for db, ref := range map[*registry.DB]string{target: "t-here", source: "t-there"} {
		err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
			p, err := tx.Insert(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES ('p', 'p', ?, ?) RETURNING id`, tx.Stamp(), tx.Stamp())
			if err != nil {
				return err
			}
			item := `INSERT INTO items (uid, project_id, kind, ref, ref_key, title, status, state, created_at, updated_at)
				VALUES (?, ?, ?, ?, ?, 'x', 'pending', 'open', ?, ?) RETURNING id`
			task, err := tx.Insert(item, ref, p, "task", ref, ref, tx.Stamp(), tx.Stamp())
			if err != nil {
				return err
			}
			ticket, err := tx.Insert(item, "K-1", p, "ticket", "K-1", "k-1", tx.Stamp(), tx.Stamp())
			if err != nil {
				return err
			}
			_, err = tx.Exec(`UPDATE items SET origin_id = ? WHERE id = ?`, ticket, task)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := target.Merge(t.Context(), source.Path()); err != nil {
		t.Fatal(err)
	}
	err := target.Read(t.Context(), func(tx *registry.Tx) error {
		got, err := registry.Collect(tx, registry.One[string], `SELECT t.ref || ' of ' || COALESCE(k.ref, 'none') FROM items t
			LEFT JOIN items k ON k.id = t.origin_id WHERE t.kind = 'task' ORDER BY t.ref`)
		if diff := cmp.Diff([]string{"t-here of K-1", "t-there of none"}, got); diff != "" {
			t.Errorf("tasks (-want +got):\n%s", diff)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
