package registrytest

import (
	"testing"
	"time"

	"github.com/agit-suite/agit/shared/registry"
)

func TestWatch(t *testing.T) {
	db := Open(t)
	w := NewWatch(t, db, []string{"projects"}, "projects.status")
	if got := w.Changes(); got != "" {
		t.Errorf("changes of nothing: %q", got)
	}
	do := func(query string, args ...any) {
		t.Helper()
		if err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error { return tx.Do(query, args...) }); err != nil {
			t.Fatal(err)
		}
	}
	now := registry.FormatTime(time.Now())
	do(`INSERT INTO projects (uid, name, created_at, updated_at) VALUES (?, ?, ?, ?)`, registry.NewUID(), "one\ntwo", now, now)
	first := w.Changes()
	if want := "\t+ projects 1: id=1 uid='<uid1>' name='one\\ntwo' created_at='now' updated_at='now'\n"; first != want {
		t.Errorf("got %q, want %q", first, want)
	}
	do(`UPDATE projects SET name = ?, updated_at = ?`, "1", registry.FormatTime(time.Now().Add(time.Second)))
	if got, want := w.Changes(), "\t~ projects 1: name='1'\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	do(`DELETE FROM projects`)
	if got, want := w.Changes(), "\t- projects 1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	hours := time.Now().Add(-1273*time.Hour - 10*time.Minute).UTC().Format(time.RFC3339)
	if got, want := w.Text(hours), "now-1273h10m0s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := w.Text("m-0abcdefghj, M-0ABCDEFGHJ and t-0abcdefghj at 2020-01-01T00:00:00.000Z"), "<m1>, <m1> and <t1> at 2020-01-01T00:00:00.000Z"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDistance(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for apart, want := range map[time.Duration]string{0: "now", 4 * time.Minute: "now", -4 * time.Minute: "now", 6 * time.Minute: "now+10m0s", -time.Hour: "now-1h0m0s", -366 * 24 * time.Hour: "2025-02-28T12:00:00.000Z",
		365 * 24 * time.Hour: "now+8760h0m0s"} {
		if got := distance(now.Add(apart), now); got != want {
			t.Errorf("%s away: %s, want %s", apart, got, want)
		}
	}
}
