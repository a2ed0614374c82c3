package transfer_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/memoryd/internal/memory"
	"github.com/agit-suite/agit/memoryd/internal/transfer"
	"github.com/agit-suite/agit/shared/agent"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// filled makes a registry with two projects, and rows in every exported table.
func filled(t *testing.T) *registry.DB {
	t.Helper()
	db := registrytest.Open(t)
	s := memory.Store{DB: db}
	at := func(name string) memory.Booking {
		return memory.Booking{Place: project.Place{At: &project.Identity{UID: "p-" + name, Name: name, Remote: "example.com/" + name, Folder: "/" + name}}, Agent: "Ann"}
	}
	half := 0.5
	for _, name := range []string{"one", "two"} {
		if _, err := s.Remember(t.Context(), at(name), []memory.New{
			{Type: "decision", Key: "utc", Content: "Dates are in UTC in " + name, Tags: []string{"time"}, Items: []string{"SEM-1"}, Confidence: &half,
				Citations: []memory.Citation{{Path: "a.go", Line: 3, Snippet: "x := 1\n\ty"}}},
			{Type: "warning", Key: "jitter", Content: "Retries need jitter, or all workers hit the database <at once> ✓", Context: "after the outage"},
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Remember(t.Context(), at(name), []memory.New{
			{Type: "decision", Key: "utc", Content: "Dates are in UTC, shown in local time"},
			{Type: "warning", Key: "jitter-full", Content: "Retries need full jitter", Supersedes: "jitter"},
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Remember(t.Context(), at(name), []memory.New{{Type: "warning", Key: "jitter", Content: "The key of a replaced memory is free again"}}); err != nil {
			t.Fatal(err)
		}
	}
	err := db.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		a, err := agent.Get(tx, "ann")
		if err != nil {
			return err
		}
		for _, statement := range []string{
			`INSERT INTO sessions (uid, ref, project_id, agent_id, lane, status, started_at, last_event_at, summary)
			 SELECT 'su-' || p.id, 's-' || p.id, p.id, ?, 'agent:ann', 'completed', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 'done' FROM projects p`,
			`INSERT INTO session_events (uid, session_id, type, importance, content, created_at)
			 SELECT 'e-' || s.id, s.id, 'decision', ? * 0 + 3, 'why', '2026-01-01T00:00:00.000Z' FROM sessions s`,
			`INSERT INTO agent_scores (agent_id, sp, xp_tenths, cs, commits, bugs, updated_at) VALUES (?, 3, 22, 4, 5, 1, '2026-01-01T00:00:00.000Z')`,
			`INSERT INTO score_events (uid, agent_id, kind, d_xp_tenths, at) VALUES ('se-1', ?, 'tool', 1, '2026-01-01T00:00:00.000Z')`,
			`INSERT INTO commits (project_id, agent_id, oid, subject, at) SELECT p.id, ?, 'abc', 'first', '2026-01-01T00:00:00.000Z' FROM projects p`,
			`INSERT INTO activities (uid, agent_id, project_id, task, actions, outcome, decisions, at) SELECT 'ac-' || p.id, ?, p.id, 't', 'a', 'o', 'd', '2026-01-01T00:00:00.000Z' FROM projects p`,
			`INSERT INTO retrospectives (uid, agent_id, project_id, task, score_before, score_after, at) SELECT 'r-' || p.id, ?, p.id, 't', 3, 4, '2026-01-01T00:00:00.000Z' FROM projects p`,
			`INSERT INTO grades (agent_id, project_id, oid, agent_grade, user_grade, at) SELECT ?, p.id, 'abc', 5, 2, '2026-01-01T00:00:00.000Z' FROM projects p`,
		} {
			if _, err := tx.Exec(statement, a.ID); err != nil {
				return err
			}
		}
		_, err = tx.Exec(`UPDATE memories SET source_session = (SELECT MIN(id) FROM sessions s WHERE s.project_id = memories.project_id)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func export(t *testing.T, db *registry.DB, project int64) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := transfer.Export(t.Context(), db, project, &b); err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(b.String(), "\n") // the first line has the time
	return rows
}

const headLine = `{"export":"memoryd","format":1,"schema":1,"exported_at":"x"}` + "\n"

// Projects that were known by a folder of another machine are named.
func TestProjectsElsewhere(t *testing.T) {
	from := filled(t)
	for _, c := range []struct {
		statement string
		want      []string
	}{
		{`UPDATE project_folders SET host = 'elsewhere' WHERE path = '/two'`, nil}, // both have a remote
		{`UPDATE projects SET remote = NULL`, []string{`p-two ("two")`}},
	} {
		if err := from.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error { return tx.Do(c.statement) }); err != nil {
			t.Fatal(err)
		}
		done, err := transfer.Import(t.Context(), registrytest.Open(t), strings.NewReader(headLine+export(t, from, 0)), false)
		if diff := cmp.Diff(c.want, done.Elsewhere); err != nil || diff != "" {
			t.Errorf("%s: %v %s", c.statement, err, diff)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	from, to := filled(t), registrytest.Open(t)
	want := export(t, from, 0)
	if strings.Count(want, "\n") < 40 {
		t.Fatalf("little was exported:\n%s", want)
	}
	first, err := transfer.Import(t.Context(), to, strings.NewReader(headLine+want), false)
	if err != nil || first.Skipped != 0 || first.Added == 0 {
		t.Fatalf("import: %+v, %v", first, err)
	}
	if diff := cmp.Diff(lines(want), lines(export(t, to, 0))); diff != "" {
		t.Errorf("what came back differs (-exported +imported):\n%s", diff)
	}
	again, err := transfer.Import(t.Context(), to, strings.NewReader(headLine+want), false)
	if err != nil || again.Added != 0 || again.Skipped != first.Added {
		t.Errorf("a second import: %+v, %v", again, err)
	}
	if diff := cmp.Diff(lines(want), lines(export(t, to, 0))); diff != "" {
		t.Errorf("a second import changed something:\n%s", diff)
	}
	s := memory.Store{DB: to}
	a, err := s.RecallAll(t.Context(), memory.Reader{}, []memory.Query{{Text: "what do retries need?"}})
	if err != nil || len(a[0].Memories) == 0 || a[0].Memories[0].Key != "jitter-full" {
		t.Errorf("recall after an import: %+v, %v", a, err)
	}
}

// lines makes an export comparable: rows may have other numbers, and so another order.
func lines(s string) []string {
	list := strings.Split(strings.TrimSpace(s), "\n")
	for i := range list {
		list[i] = maskIDs(list[i])
	}
	sorted := append([]string(nil), list...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	return sorted
}

// maskIDs hides the numbers of rows.
func maskIDs(line string) string {
	for _, column := range []string{`"id":`, `"memory_id":`, `"superseded_by":`, `"source_session":`, `"session_id":`} {
		if at := strings.Index(line, column); at >= 0 {
			end := at + len(column)
			stop := end
			for stop < len(line) && line[stop] >= '0' && line[stop] <= '9' {
				stop++
			}
			line = line[:end] + "N" + line[stop:]
		}
	}
	return line
}

func TestExportOfOneProject(t *testing.T) {
	db := filled(t)
	all := export(t, db, 0)
	one := export(t, db, 1)
	if !strings.Contains(one, `"p-one"`) || strings.Contains(one, `"p-two"`) || strings.Contains(one, "in UTC in two") || strings.Count(one, `"table":"memories"`) != 4 {
		t.Errorf("%d of %d rows:\n%s", strings.Count(one, "\n"), strings.Count(all, "\n"), one)
	}
	to := registrytest.Open(t)
	if _, err := transfer.Import(t.Context(), to, strings.NewReader(headLine+one), false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lines(one), lines(export(t, to, 0))); diff != "" {
		t.Error(diff)
	}
}

// Secrets in another machine's export are not stored, unless that is wanted; redacted text comes back as it was.
func TestImportTakesSecretsOut(t *testing.T) {
	const token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
	from := filled(t)
	err := from.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for _, statement := range []string{
			`UPDATE memories SET content = content || ? WHERE key = 'utc'`,
			`UPDATE memory_history SET content = content || ?`,
			`UPDATE session_events SET content = 'why [redacted GitHub token]', context = '{"files":["a.go"],"code_snippet":"use ' || ? || '"}'`,
			`UPDATE activities SET actions = ?`,
		} {
			if _, err := tx.Exec(statement, " "+token); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	file := export(t, from, 0)
	held := strings.Count(file, token)
	kept, cleaned := registrytest.Open(t), registrytest.Open(t)
	if done, err := transfer.Import(t.Context(), kept, strings.NewReader(headLine+file), true); err != nil || done.Redacted != nil {
		t.Fatalf("allowed: %+v, %v", done, err)
	}
	if diff := cmp.Diff(lines(file), lines(export(t, kept, 0))); diff != "" {
		t.Errorf("allowed, and yet: %s", diff)
	}
	done, err := transfer.Import(t.Context(), cleaned, strings.NewReader(headLine+file), false)
	if err != nil || held == 0 || len(done.Redacted) != held {
		t.Fatalf("%d secrets: %+v, %v", held, done, err)
	}
	clean := export(t, cleaned, 0)
	if strings.Contains(clean, token) || !strings.Contains(clean, `why [redacted GitHub token]"`) || !strings.Contains(clean, `use  [redacted GitHub token]`) {
		t.Errorf("stored:\n%s", clean)
	}
	again := registrytest.Open(t)
	if done, err := transfer.Import(t.Context(), again, strings.NewReader(headLine+clean), false); err != nil || done.Redacted != nil {
		t.Fatalf("a second time: %+v, %v", done, err)
	}
	if diff := cmp.Diff(lines(clean), lines(export(t, again, 0))); diff != "" {
		t.Errorf("what was redacted changed: %s", diff)
	}
	stored, err := (&memory.Store{DB: cleaned}).Remember(t.Context(), memory.Booking{Place: project.Place{Named: "p-one"}},
		[]memory.New{{Type: "decision", Key: "utc", Content: "Dates are in UTC, shown in local time " + token}})
	if err != nil || stored[0].Outcome != memory.Unchanged {
		t.Errorf("stored again: %+v, %v", stored, err)
	}
}

func TestImportRefuses(t *testing.T) {
	for name, file := range map[string]string{
		"nothing":          "",
		"no export":        `{"content":"x"}`,
		"a newer format":   `{"export":"memoryd","format":99,"schema":1}`,
		"half a line":      headLine + `{"table":"memories","row":{"id":`,
		"another table":    headLine + `{"table":"worktrees","row":{"id":1}}`,
		"the registry's":   headLine + `{"table":"registry_meta","row":{"key":"a","value":"b"}}`,
		"an item":          headLine + `{"table":"items","row":{"id":1}}`,
		"unknown columns":  headLine + `{"table":"memory_tags","row":{"memory_id":1,"tag":"a","x; DROP TABLE memories":1}}`,
		"a nested value":   headLine + `{"table":"agents","row":{"id":1,"name":{"a":1}}}`,
		"a broken rule":    headLine + `{"table":"agents","row":{"id":1,"uid":"a","name":"a","name_key":"a","status":"flying","registered_at":"x","last_seen_at":"x"}}`,
		"a missing number": headLine + `{"table":"agents","row":{"uid":"a"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			db := registrytest.Open(t)
			if _, err := transfer.Import(t.Context(), db, strings.NewReader(file), false); !fault.Is(err, fault.KindValidation) {
				t.Errorf("got %v", err)
			}
			if rows := export(t, db, 0); rows != "" {
				t.Errorf("something was kept: %s", rows)
			}
		})
	}
}

func FuzzImport(f *testing.F) {
	f.Add(headLine + `{"table":"agents","row":{"id":1,"uid":"a","name":"a","name_key":"a","registered_at":"x","last_seen_at":"x"}}`)
	f.Add(headLine + `{"table":"memory_tags","row":{"memory_id":1,"tag":"a"}}`)
	db := registrytest.Open(f)
	f.Fuzz(func(t *testing.T, file string) {
		_, _ = transfer.Import(t.Context(), db, strings.NewReader(file), false) // refused or accepted, without a panic
	})
}
