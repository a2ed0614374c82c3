// Command passtime subtracts a duration from every time in every table of a registry. Examples and pictures are filled by real commands
// within a moment, and would otherwise show only "now".
//
//	passtime DB 2h
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/agit-suite/agit/shared/registry"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "passtime:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: passtime DB DURATION")
	}
	by, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	db, err := registry.Open(ctx, registry.Options{Path: args[0]})
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Write(ctx, registry.Everything, func(tx *registry.Tx) error {
		columns, err := registry.Collect(tx, func(row registry.Scanner) (c [2]string, err error) { return c, row.Scan(&c[0], &c[1]) },
			`SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'memory_index%' AND m.name NOT LIKE 'sqlite%' AND (c.name IN ('at', 'since') OR c.name LIKE '%\_at' ESCAPE '\')`)
		if err != nil {
			return err
		}
		for _, c := range columns {
			// SQLite's own date functions, in the registry's one form of times.
			shift := fmt.Sprintf(`UPDATE %[1]s SET %[2]s = strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', %[2]s, ?) WHERE %[2]s LIKE '____-__-__T%%'`, c[0], c[1])
			if _, err := tx.Exec(shift, fmt.Sprintf("-%d seconds", int(by.Seconds()))); err != nil {
				return fmt.Errorf("%s.%s: %w", c[0], c[1], err)
			}
		}
		return nil
	})
}
