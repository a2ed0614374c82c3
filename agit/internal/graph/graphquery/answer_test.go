package graphquery_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

func rows(t *testing.T, s *graphquery.Store, query string, params map[string]any) string {
	t.Helper()
	a, err := s.Query(t.Context(), graphquery.Ask{Text: query, Params: params})
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if a.Count != len(a.Results) {
		t.Errorf("%s: count %d of %d rows", query, a.Count, len(a.Results))
	}
	encoded, err := json.Marshal(a.Results)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// Times of the registry are moments: they compare and subtract, and are shown as they are stored.
func TestTimesAreMoments(t *testing.T) {
	s := newGraph(t)
	stored := map[string]string{"UAT-001": "2026-03-01T10:00:00.360Z", "UAT-002": "2026-03-01T10:00:00.361Z", "UAT-003": "2026-03-02T00:00:00.000Z"}
	err := s.DB.Write(t.Context(), registry.Everything, func(tx *registry.Tx) error {
		for ref, at := range stored {
			if _, err := tx.Exec(`UPDATE items SET created_at = ? WHERE ref = ?`, at, ref); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ where, want string }{
		{`t.created > datetime('2026-03-01T10:00:00.360Z')`, `2 3`},
		{`t.created >= datetime('2026-03-01T10:00:00.360Z')`, `1 2 3`},
		{`t.created < datetime('2026-03-01T10:00:00.361Z')`, `1`},
		{`t.created <= datetime('2026-03-01T10:00:00.361Z')`, `1 2`},
		{`t.created = datetime('2026-03-01T10:00:00.361Z')`, `2`},
		{`t.created <> datetime('2026-03-01T10:00:00.361Z')`, `1 3`},
		{`t.created > datetime('2026-03-01T10:00:00.3605Z')`, `2 3`},
		{`t.created < datetime('2026-03-01T10:00:00.3605Z')`, `1`},
		{`t.created = datetime('2026-03-01T10:00:00.3605Z')`, ``},
		{`t.created > datetime('2026-03-01T12:00:00.360+02:00')`, `2 3`},
		{`datetime('2026-03-01T23:00:00Z') < t.created`, `3`},
		{`t.created IN [datetime('2026-03-02T00:00:00Z'), datetime('2020-01-01T00:00Z')]`, `3`},
		{`t.created > datetime('+10000-01-01T00:00Z')`, ``},
		{`date(t.created) = date('2026-03-01')`, `1 2`},
		{`t.created.day = 2`, `3`},
		{`t.created > datetime() - duration('P100Y')`, `1 2 3`},
		{`t.created > $since`, ``},
	} {
		query := `MATCH (t:Task) WHERE ` + c.where + ` RETURN t.id AS id ORDER BY id`
		var got []struct{ ID string }
		if err := json.Unmarshal([]byte(rows(t, s, query, map[string]any{"since": "2026-01-01T00:00:00.000Z"})), &got); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, row := range got {
			ids = append(ids, strings.TrimPrefix(row.ID, "UAT-00"))
		}
		if diff := cmp.Diff(c.want, strings.Join(ids, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.where, diff)
		}
	}
	for query, want := range map[string]string{
		`MATCH (t:Task {id: 'UAT-003'}) RETURN t.created AS c`:                            `[{"c":"2026-03-02T00:00:00.000Z"}]`,
		`MATCH (t:Task {id: 'UAT-001'}) RETURN {at: t.created} AS c`:                      `[{"c":{"at":"2026-03-01T10:00:00.360Z"}}]`,
		`MATCH (t:Task {id: 'UAT-003'}) RETURN t.created + duration('PT0.0001S') AS c`:    `[{"c":"2026-03-02T00:00:00.000100Z"}]`,
		`MATCH (t:Task) RETURN min(t.created) AS c`:                                       `[{"c":"2026-03-01T10:00:00.360Z"}]`,
		`MATCH (t:Task {id: 'UAT-003'}) RETURN t.completed AS c`:                          `[{"c":null}]`,
		`MATCH (t:Task {id: 'UAT-002'}) RETURN properties(t).created = t.created AS c`:    `[{"c":true}]`,
		`MATCH (a:Agent {name: 'ann'}) RETURN a.lastActive > datetime('2020-01-01') AS c`: `[{"c":true}]`,
	} {
		if diff := cmp.Diff(want, rows(t, s, query, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	var whole []struct {
		T struct{ Properties map[string]any }
	}
	if err := json.Unmarshal([]byte(rows(t, s, `MATCH (t:Task {id: 'UAT-003'}) RETURN t`, nil)), &whole); err != nil || whole[0].T.Properties["created"] != "2026-03-02T00:00:00.000Z" {
		t.Errorf("a whole node: %v, %v", whole, err)
	}
}

func TestDescriptionsAreWithoutTheName(t *testing.T) {
	s := newGraph(t)
	g := &graph.Store{DB: s.DB, Tasks: &task.Store{DB: s.DB}}
	if _, err := g.CreateEpic(t.Context(), graph.NewEpic{ID: "EPIC-2", Project: "proj", Name: "UAT", Description: "Test it\n\nin depth"}); err != nil {
		t.Fatal(err)
	}
	if _, err := g.ReportBug(t.Context(), graph.BugReport{ID: "BUG-2", Title: "Crash", Description: "when empty", Severity: "low", FoundBy: "ann", FoundIn: "UAT-001"}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		`MATCH (e:Epic) RETURN e.name AS n, e.description AS d ORDER BY n`:      `[{"d":null,"n":"Epic"},{"d":"Test it\n\nin depth","n":"UAT"}]`,
		`MATCH (b:Bug {description: 'when empty'}) RETURN b.title AS t`:         `[{"t":"Crash"}]`,
		`MATCH (b:Bug) WHERE b.description IS NULL RETURN b.id AS id`:           `[{"id":"BUG-1"}]`,
		`MATCH (t:Task {id: 'UAT-001'}) RETURN t.name AS n, t.description AS d`: `[{"d":"First","n":"First"}]`,
	} {
		if diff := cmp.Diff(want, rows(t, s, query, nil)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// An answer is within its limit, or is refused with a page size that fits.
func TestAnswersHaveAByteLimit(t *testing.T) {
	s := newGraph(t)
	const query = `UNWIND range(1, 1000) AS x RETURN x, 'some text' AS text, [1, 2.5, null, true] AS list, {a: 'b'} AS map`
	_, err := s.Query(t.Context(), graphquery.Ask{Text: query, MaxBytes: 2000})
	f := fault.From(err)
	if !fault.Is(err, fault.KindOperation) || f.Field != "maxBytes" || !strings.Contains(f.Message, "LimitExceeded") || !strings.Contains(f.Hint, "SKIP") {
		t.Fatalf("got %v", err)
	}
	var fits int
	if _, err := fmt.Sscanf(f.Hint[strings.Index(f.Hint, "LIMIT"):], "LIMIT %d", &fits); err != nil {
		t.Fatal(err)
	}
	a, err := s.Query(t.Context(), graphquery.Ask{Text: fmt.Sprintf(`%s LIMIT %d`, query, fits), MaxBytes: 2000})
	if err != nil {
		t.Fatalf("the page that was proposed: %v", err)
	}
	if encoded, err := json.Marshal(a); err != nil || len(encoded) > 2000 || len(encoded) < 1000 {
		t.Errorf("%d bytes, %v", len(encoded), err)
	}
	long, err := s.Query(t.Context(), graphquery.Ask{Text: query})
	if err != nil || long.Count != 1000 {
		t.Errorf("without a limit: %d rows, %v", long.Count, err)
	}
}
