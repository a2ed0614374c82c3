package registry

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// SetSchemaVersion makes a registry look as if another program had migrated it.
func SetSchemaVersion(ctx context.Context, db *DB, version int) error {
	_, err := db.engine.(*sqliteEngine).writes.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}

// Migrations and CheckSQLiteVersion are looked at by tests alone.
var (
	Migrations         = migrations
	CheckSQLiteVersion = checkSQLiteVersion
	NewIDAt            = newIDAt
)

// NamesOfViews are those that Views knows.
func NamesOfViews() []string { return slices.Sorted(maps.Keys(views)) }

// Name and Text show a migration to tests.
func (m migration) Name() string { return m.name }
func (m migration) Text() string { return m.text }
