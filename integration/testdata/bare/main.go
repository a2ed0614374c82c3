// Command bare does the SQL of `agit tasks --create` and nothing else: the floor
// that creating a task through agit is measured against.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"syscall"
	"time"

	_ "modernc.org/sqlite"
)

func main() {
	if err := create(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func create(path string) error {
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_busy_timeout=10000&_foreign_keys=1&_synchronous=FULL")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var repo, project, item int64
	if err := tx.QueryRow(`SELECT id, project_id FROM repos WHERE name_key = 'app' AND removed_at IS NULL`).Scan(&repo, &project); err != nil {
		return err
	}
	now := time.Now().UTC().Format("2006-01-02T15:04:05.000Z")
	ref := fmt.Sprintf("b-%d-%d", os.Getpid(), time.Now().UnixNano())
	if err := tx.QueryRow(`INSERT INTO items (uid, project_id, kind, ref, ref_key, title, description, status, state, priority, created_at, updated_at)
		VALUES (?, ?, 'task', ?, ?, 'x', 'x', 'pending', 'open', 2, ?, ?) RETURNING id`, ref, project, ref, ref, now, now).Scan(&item); err != nil {
		return err
	}
	for _, statement := range []struct {
		query string
		args  []any
	}{
		{`INSERT INTO item_history (item_id, at, field, new, why) VALUES (?, ?, 'status', 'pending', 'created')`, []any{item, now}},
		{`INSERT INTO tasks (item_id, repo_id) VALUES (?, ?)`, []any{item, repo}},
		{`INSERT INTO changes (at, topic, project_id, subject) VALUES (?, 'tasks', ?, 'app')`, []any{now, project}},
	} {
		if _, err := tx.Exec(statement.query, statement.args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
