//go:build unix

package registry_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// onServer opens a registry in a database of its own on a cluster; hosts that name the same database share it.
func onServer(t *testing.T, c *registrytest.Cluster, database string) *registry.DB {
	t.Helper()
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: c.URL(database), Readers: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func newProject(t *testing.T, db *registry.DB, name string) (id int64) {
	t.Helper()
	err := db.Write(t.Context(), registry.Named, func(tx *registry.Tx) (err error) {
		id, err = tx.Insert(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING id`, "p-"+name, name, tx.Stamp(), tx.Stamp())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func names(t *testing.T, db *registry.DB) (all []string) {
	t.Helper()
	err := db.Read(t.Context(), func(tx *registry.Tx) (err error) {
		all, err = registry.Collect(tx, func(row registry.Scanner) (string, error) { return registry.One[string](row) }, `SELECT name FROM projects ORDER BY name`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A registry that moves to a server and back has the same rows, whatever bytes its texts contain. An interrupted move is repeated, and
// later work is never overwritten.
func TestMoveThereAndBack(t *testing.T) {
	t.Parallel()
	c := registrytest.NewCluster(t)
	file := filepath.Join(t.TempDir(), "agit.db")
	from, err := registry.Open(t.Context(), registry.Options{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	one, odd := newProject(t, from, "one"), newProject(t, from, "it's \"odd\" ✓")
	folder := "/tmp/\xff\x00/it's"
	err = from.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO project_folders (project_id, host, path, last_seen_at) VALUES (?, 'here', ?, ?)`, odd, folder, tx.Stamp())
		if err != nil {
			return err
		}
		var parent int64 // copied after its child
		child, err := tx.Insert(item, "i-1", one, "t-1", "t-1", nil, tx.Stamp(), tx.Stamp())
		if err == nil {
			parent, err = tx.Insert(item, "i-2", one, "t-2", "t-2", nil, tx.Stamp(), tx.Stamp())
		}
		if err == nil {
			_, err = tx.Exec(`UPDATE items SET parent_id = ? WHERE id = ?`, parent, child)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	to := registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: c.URL("postgres")}
	killed := errors.New("killed")
	for _, stop := range []error{killed, nil} { // the copy is stored, and the configuration is not changed yet
		if _, err := registry.Move(t.Context(), from, to, func() error { return stop }); !errors.Is(err, stop) {
			t.Fatal(err)
		}
	}
	there := onServer(t, c, "postgres")
	if got, want := rowsOf(t, there), rowsOf(t, from); got != want {
		t.Errorf("on the server:\n%s\nin the file:\n%s", got, want)
	}
	if newProject(t, there, "two") <= odd {
		t.Error("new rows are not numbered after those that came")
	}
	_, err = registry.Move(t.Context(), from, to, func() error { return nil })
	if !fault.Is(err, fault.KindConflict) || len(names(t, there)) != 3 {
		t.Errorf("work on the server is overwritten: %v, %q", err, names(t, there))
	}

	back := registry.Options{Path: file}
	if _, err := registry.Move(t.Context(), there, back, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if got, want := rowsOf(t, from), rowsOf(t, there); got != want {
		t.Errorf("in the file:\n%s\non the server:\n%s", got, want)
	}
	other := filepath.Join(t.TempDir(), "other.db")
	newProject(t, registrytest.OpenFile(t, other), "foreign")
	if _, err := registry.Move(t.Context(), there, registry.Options{Path: other}, func() error { return nil }); !fault.Is(err, fault.KindConflict) {
		t.Errorf("another registry is overwritten: %v", err)
	}
}

const item = `INSERT INTO items (uid, project_id, kind, ref, ref_key, title, status, state, parent_id, created_at, updated_at)
	VALUES (?, ?, 'task', ?, ?, 'title', 'pending', 'open', ?, ?, ?) RETURNING id`

// rowsOf formats some tables with their ids.
func rowsOf(t *testing.T, db *registry.DB) string {
	t.Helper()
	var all strings.Builder
	err := db.Read(t.Context(), func(tx *registry.Tx) error {
		for _, query := range []string{`SELECT id, uid, name, updated_at FROM projects ORDER BY id`, `SELECT project_id, host, path, last_seen_at FROM project_folders ORDER BY path`,
			`SELECT id, uid, ref, COALESCE(parent_id, 0) FROM items ORDER BY id`, `SELECT 0, key, value, '' FROM registry_meta WHERE key = 'registry_uid'`} {
			for row, err := range tx.Rows(query) {
				if err != nil {
					return err
				}
				var columns [4]any
				if err := row.Scan(&columns[0], &columns[1], &columns[2], &columns[3]); err != nil {
					return err
				}
				fmt.Fprintf(&all, "%q\n", columns)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// Processes that had reached a server wait for it after a crash. Nothing that was acknowledged is lost or done twice.
func TestServerRestartsInTheMiddle(t *testing.T) {
	t.Parallel()
	c := registrytest.NewCluster(t)
	db := onServer(t, c, "postgres")
	newProject(t, db, "before")
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	started := make(chan error, 1)
	go func() { started <- c.Start() }()
	newProject(t, db, "after")
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	if got := names(t, db); fmt.Sprint(got) != "[after before]" {
		t.Errorf("%q", got)
	}
}

// Without a server a new process fails at once, as it does without a network.
func TestServerIsAway(t *testing.T) {
	t.Parallel()
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: "postgres:///team?host=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Read(t.Context(), func(*registry.Tx) error { return nil })
	if f := fault.From(err); f.Kind != fault.KindProvider || f.Kind.ExitCode() != 5 || f.Hint == "" {
		t.Error(err)
	}
}

// Writers of one project take turns, an expected error leaves the rest of the transaction intact, and a third host hears the changes of
// two others.
func TestServerTransactions(t *testing.T) {
	t.Parallel()
	c := registrytest.NewCluster(t)
	one, two, third := onServer(t, c, "postgres"), onServer(t, c, "postgres"), onServer(t, c, "postgres")
	id := newProject(t, one, "counted")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	listening, heard, ended := make(chan struct{}), make(chan registry.Change, 100), make(chan error, 1)
	go func() {
		ended <- third.Watch(ctx, func() { close(listening) }, func(all []registry.Change) {
			for _, change := range all {
				heard <- change
			}
		})
	}()
	<-listening
	const each = 15
	done := make(chan error, 2)
	for _, db := range []*registry.DB{one, two} {
		go func() {
			for range each {
				err := db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
					text, err := registry.One[string](tx.QueryRow(`SELECT description FROM projects WHERE id = ?`, id))
					if err != nil {
						return err
					}
					if err := tx.Attempt(func() error { _, err := tx.Exec(`INSERT INTO projects (id) VALUES (?)`, id); return err }); !registry.IsConstraint(err) {
						return fmt.Errorf("a project is there twice: %w", err)
					}
					tx.Changed(registry.TopicTasks, id, "x")
					_, err = tx.Exec(`UPDATE projects SET description = ? WHERE id = ?`, text+"x", id)
					return err
				})
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	var text string
	err := one.Read(t.Context(), func(tx *registry.Tx) error {
		return tx.QueryRow(`SELECT description FROM projects WHERE id = ?`, id).Scan(&text)
	})
	if err != nil || len(text) != 2*each {
		t.Errorf("%d of %d changes are there, %v", len(text), 2*each, err)
	}
	for n := range 2 * each {
		select {
		case change := <-heard:
			if change.ProjectID != id || change.Topic != registry.TopicTasks {
				t.Errorf("heard %+v", change)
			}
		case <-t.Context().Done():
			t.Fatalf("heard %d changes", n)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// After a lost answer to COMMIT, the mark shows the result of the transaction. A transaction without a mark was not stored and cannot
// be stored any more.
func TestLostCommitIsFoundOut(t *testing.T) {
	t.Parallel()
	db := onServer(t, registrytest.NewCluster(t), "postgres")
	newProject(t, db, "stored")
	var mark string
	err := db.Read(t.Context(), func(tx *registry.Tx) error { return tx.QueryRow(`SELECT MAX(mark) FROM write_marks`).Scan(&mark) })
	if err != nil {
		t.Fatal(err)
	}
	lost := errors.New("the connection ended")
	if err := registry.WhatBecameOf(t.Context(), db, mark, lost); err != nil {
		t.Errorf("a transaction that was stored: %v", err)
	}
	if err := registry.WhatBecameOf(t.Context(), db, "never", lost); !errors.Is(err, lost) {
		t.Errorf("one that was not: %v", err)
	}
	err = db.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
		_, err := tx.Exec(`INSERT INTO write_marks (mark, at) VALUES ('never', '')`)
		return err
	})
	if !registry.IsDuplicate(err) {
		t.Errorf("one that comes late is stored: %v", err)
	}
}

// Outdated marks are removed, and today's marks stay.
func TestOldMarksAreRemoved(t *testing.T) {
	t.Parallel()
	db := onServer(t, registrytest.NewCluster(t), "postgres")
	newProject(t, db, "one")
	for _, c := range []struct {
		later time.Duration
		least int
	}{{0, 1}, {48 * time.Hour, 0}} {
		err := db.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
			if _, err := tx.Exec(registry.Tidying(tx.Now().Add(c.later))); err != nil {
				return err
			}
			n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM write_marks`))
			if err == nil && n != c.least {
				t.Errorf("%s later %d marks are left, not %d", c.later, n, c.least)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		newProject(t, db, fmt.Sprint("more ", c.later))
	}
}

// Presence is visible on every host, and ends when the process leaves.
func TestServerPresence(t *testing.T) {
	t.Parallel()
	c := registrytest.NewCluster(t)
	here, elsewhere := onServer(t, c, "postgres"), onServer(t, c, "postgres")
	p, err := here.Announce()
	if err != nil {
		t.Fatal(err)
	}
	running := func() map[string]bool {
		t.Helper()
		var ids map[string]bool
		if err := elsewhere.Read(t.Context(), func(tx *registry.Tx) (err error) { ids, err = registry.Running(tx); return err }); err != nil {
			t.Error(err)
		}
		return ids
	}
	if ids := running(); !elsewhere.Present(p.ID) || elsewhere.Present("v-unknown@host") || len(ids) != 1 || !ids[p.ID] {
		t.Errorf("who is there is not known: %v", ids)
	}
	err = here.Write(t.Context(), registry.Named, func(tx *registry.Tx) error {
		_, err := tx.Exec(`UPDATE presences SET renewed_at = to_char((clock_timestamp() - interval '91 seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
		return err
	})
	if ids := running(); err != nil || elsewhere.Present(p.ID) || len(ids) != 0 {
		t.Errorf("who is silent is there still: %v, %v", ids, err)
	}
	p.Leave()
	if elsewhere.Present(p.ID) || !here.OnServer() {
		t.Error("who left is there still")
	}
}

// A write that asks nothing begins and ends in one message, and stores nothing in a registry that a newer program upgraded.
func TestWriteOfOneMessageToANewerSchema(t *testing.T) {
	t.Parallel()
	c := registrytest.NewCluster(t)
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: c.URL("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id := newProject(t, db, "before")
	rename := func() error {
		return db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
			return tx.Do(`UPDATE projects SET name = 'after', updated_at = ? WHERE id = ?`, tx.Time(), id)
		})
	}
	for _, s := range []struct {
		version int
		name    string
	}{{registry.SchemaVersion + 1, "before"}, {registry.SchemaVersion, "after"}} {
		if err := registry.SetSchemaVersion(t.Context(), db, s.version); err != nil {
			t.Fatal(err)
		}
		err := rename()
		if newer := s.version > registry.SchemaVersion; newer != (err != nil) || newer && !strings.Contains(err.Error(), "another host upgraded it") {
			t.Errorf("with schema %d: %v", s.version, err)
		}
		if rows, err := registry.Aside(db, `SELECT name FROM projects`); err != nil || rows[0][0] != s.name {
			t.Errorf("with schema %d the name is %v, %v", s.version, rows, err)
		}
	}
}

// A write that is one message, whose answer is lost after the server stored it, is not repeated.
func TestLostAnswerOfAWriteOfOneMessage(t *testing.T) {
	t.Parallel()
	p := registrytest.NewProxy(t, registrytest.NewCluster(t))
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Server: p.URL("postgres")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	id := newProject(t, db, "counted")
	p.Lose()
	err = db.Write(t.Context(), registry.Scope{Project: id}, func(tx *registry.Tx) error {
		return tx.Do(`UPDATE projects SET name = name || 'x' WHERE id = ?`, id)
	})
	if got := names(t, db); err != nil || len(got) != 1 || got[0] != "countedx" {
		t.Errorf("the name is %q, %v", got, err)
	}
}
