// Command bareready asks a registry for what is ready and nothing else: the floor
// that `pmsync ready` is measured against.
package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "modernc.org/sqlite"
)

func main() {
	if err := list(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func list(path string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_query_only=1")
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(`SELECT ref, kind, title, status, priority, created_at FROM items
		WHERE project_id = 1 AND state = 'open' AND holds = 0 AND deleted_at IS NULL ORDER BY priority DESC, created_at, id LIMIT 21`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var ref, kind, title, status, created string
		var priority int
		if err := rows.Scan(&ref, &kind, &title, &status, &priority, &created); err != nil {
			return err
		}
		fmt.Println(ref, kind, title, status, priority, created)
	}
	return rows.Err()
}
