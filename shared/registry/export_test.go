package registry

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// SetSchemaVersion makes a registry look as if another program had migrated it.
func SetSchemaVersion(ctx context.Context, db *DB, version int) error {
	if e, of := db.engine.(*serverEngine); of {
		_, err := e.aside(fmt.Sprintf(`UPDATE registry_meta SET value = '%d' WHERE key = 'schema_version'`, version))
		return err
	}
	_, err := db.engine.(*sqliteEngine).writes.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, version))
	return err
}

// Tidying is what a write sometimes runs, at a time.
func Tidying(at time.Time) string { return strings.Join(tidying(at), `; `) }

// Aside runs a statement on a registry's server.
func Aside(db *DB, statement string) ([][]string, error) {
	return db.engine.(*serverEngine).aside(statement)
}

// WhatBecameOf asks a registry on a server about the transaction with a mark.
func WhatBecameOf(ctx context.Context, db *DB, mark string, lost error) error {
	return db.engine.(*serverEngine).whatBecameOf(ctx, mark, lost)
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

// Newest is the embedded text of a new registry's tables, and what it has to be: the
// statements that stand in the catalogue once every migration has run. Tables that a text
// index makes for itself come with it.
func Newest(ctx context.Context) (embedded, made string, err error) {
	raw, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return "", "", err
	}
	defer raw.Close()
	raw.SetMaxOpenConns(1)
	for _, m := range migrations() {
		for _, text := range []string{m.text, m.sqlite} {
			if _, err := raw.ExecContext(ctx, text); err != nil {
				return "", "", fmt.Errorf("%s: %w", m.name, err)
			}
		}
	}
	for _, table := range []string{"registry_meta", "projects", "agents", "items"} {
		var n int
		if err := raw.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+table).Scan(&n); err != nil || n > 0 {
			return "", "", fmt.Errorf("migrations put %d rows into %s, which newest.sql cannot hold: %w", n, table, err)
		}
	}
	rows, err := raw.QueryContext(ctx, `SELECT sql FROM sqlite_master m WHERE sql IS NOT NULL AND NOT EXISTS (
		SELECT 1 FROM sqlite_master v WHERE v.sql LIKE 'CREATE VIRTUAL TABLE%' AND m.name LIKE v.name || '\_%' ESCAPE '\' AND m.type = 'table') ORDER BY rowid`)
	if err != nil {
		return "", "", err
	}
	defer rows.Close()
	var all strings.Builder
	all.WriteString("-- The tables of a new registry, written by a test from the migrations. Edit those, never this.\n\n")
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			return "", "", err
		}
		all.WriteString(statement + ";\n\n")
	}
	return newest, all.String(), rows.Err()
}
