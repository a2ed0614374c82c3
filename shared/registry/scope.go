package registry

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Scope lists the projects whose rows a write may change. SQLite ignores it, because one file has one lock; a registry on a server
// locks by project.
type Scope struct {
	Project int64
	all     bool
	claims  bool
}

var (
	// Everything is the scope of a write that may change any project, such as a merge or a sweep.
	Everything = Scope{all: true}
	// Named is the scope of a write that finds its project itself and names it by Tx.In. Until then it may change only rows without a
	// project, such as agents.
	Named = Scope{}
	// Claiming is Named for a write that takes one item from a queue by statements that are each atomic. ClaimingAny is the same for
	// the queue of all projects. On a server neither waits for other writers of the project.
	Claiming    = Scope{claims: true}
	ClaimingAny = Scope{claims: true, all: true}
)

// In adds a project whose rows the write will change to its scope; 0 adds none. On a server it takes the project's lock. In a read it
// has no effect.
func (tx *Tx) In(project int64) error {
	if tx.lock != nil {
		return tx.lock(tx.ctx, project)
	}
	if tx.confined == nil || project == 0 {
		return nil
	}
	return tx.confined.allow(tx, project)
}

// confinement checks a write against its scope: temporary triggers compare the project of each changed row with the named projects.
type confinement struct{ changed int64 }

// rows returns how many rows the check itself has changed.
func (c *confinement) rows() int64 {
	if c == nil {
		return 0
	}
	return c.changed
}

// onlyText refuses texts that PostgreSQL does not accept. Only paths of folders can be such texts, because they are stored as raw bytes.
func onlyText(query string, args []any) error {
	for _, a := range args {
		if null, ok := a.(Null[string]); ok {
			a = null.V
		}
		if t, ok := a.(string); ok && (!utf8.ValidString(t) || strings.ContainsRune(t, 0)) {
			return fmt.Errorf("%q is not text, in %s", t, query)
		}
	}
	return nil
}

// confine begins the check of a write if the registry is strict.
func (db *sqliteEngine) confine(tx *Tx, scope Scope) error {
	if db.strict == nil {
		return nil
	}
	explain := tx.explain
	tx.explain = nil
	defer func() { tx.explain = explain }()
	there, err := One[int](tx.QueryRow(`SELECT COUNT(*) FROM temp.sqlite_schema WHERE name = 'write_scope'`))
	if err != nil {
		return err
	}
	if there == 0 {
		statements, err := db.strict(tx)
		if err == nil {
			_, err = tx.conn.ExecContext(tx.ctx, statements)
		}
		if err != nil {
			return fmt.Errorf("watch the scopes of writes: %w", err)
		}
	}
	c := &confinement{}
	n, err := tx.Exec(`DELETE FROM temp.write_scope`)
	if err != nil {
		return err
	}
	c.changed = n
	tx.confined = c
	if scope.all {
		return c.allow(tx, EveryProject)
	}
	return tx.In(scope.Project)
}

// EveryProject stands for all projects in temp.write_scope; see Options.Strict.
const EveryProject = -1

func (c *confinement) allow(tx *Tx, project int64) error {
	n, err := tx.Exec(`INSERT INTO temp.write_scope (project) VALUES (?) ON CONFLICT DO NOTHING`, project)
	c.changed += n
	return err
}
