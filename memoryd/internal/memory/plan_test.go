package memory

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/shared/project"
	"github.com/agit-suite/agit/shared/registry"
)

// Every statement of storing, recalling and starting begins with the intended index. Left to itself, SQLite prefers the table to the index
// of its texts, which took seconds for one search over 10,000 rows elsewhere.
func TestPlans(t *testing.T) {
	var mu sync.Mutex
	plans := map[string][]string{}
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Explain: func(statement string, plan []string) {
		mu.Lock()
		defer mu.Unlock()
		plans[strings.Join(strings.Fields(statement), " ")] = plan
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &Store{DB: db, MaxPerType: 1000}
	list := newCorpus().memories(60)
	list = append(list, list[3], New{Key: "new", Type: TypePattern, Content: list[4].Content, Supersedes: "k5", Items: []string{"X-1"}})
	booking := Booking{Place: project.Place{At: &project.Identity{UID: "p-1", Name: "one", Folder: "/one"}}, Agent: "ann"}
	stored, err := s.Remember(t.Context(), booking, list)
	if err != nil {
		t.Fatal(err)
	}
	id := stored[0].ProjectID
	for _, q := range []Query{
		{ProjectID: id, Text: list[0].Content}, {ProjectID: id, Text: "filter " + list[1].Content, Type: TypeDecision, Tags: []string{"tag1"}, MinImportance: 2, Items: []string{"X-1"}},
		{ProjectID: id}, {Text: list[2].Content}, {ProjectID: id, Text: "mistyped lofixa"},
	} {
		if _, err := s.Recall(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Read(t.Context(), func(tx *registry.Tx) error {
		_, err := Relevant(tx, Wanted{ProjectID: id, ItemID: 1, SessionID: 1, Text: list[0].Content, Budget: 4000})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Update(t.Context(), Target{ProjectID: id, Key: "k1"}, Patch{Content: &list[9].Content}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forget(t.Context(), Target{ProjectID: id, Key: "k2"}, "", false); err != nil {
		t.Fatal(err)
	}
	scans := 0
	for statement, plan := range plans {
		if !strings.Contains(statement, "memor") {
			continue // another package's
		}
		if len(plan) > 1 && strings.HasPrefix(plan[0], "CO-ROUTINE") {
			plan = plan[1:] // a subquery, which is read from its beginning
		}
		for i, step := range plan {
			if strings.HasPrefix(step, "SCAN f") || strings.HasSuffix(step, "VALUES CLAUSE") || strings.HasPrefix(step, "SCAN (subquery") {
				continue
			}
			virtual := strings.Contains(step, "VIRTUAL TABLE INDEX")
			if strings.HasPrefix(step, "SCAN") && !virtual && !strings.Contains(step, "CONSTANT ROW") && !strings.Contains(step, "COVERING INDEX memories_hidden") {
				t.Errorf("%s\n scans: %s", statement, step)
			}
			if virtual {
				scans++
				if i > 0 && !strings.Contains(plan[0], "VIRTUAL") && !strings.Contains(plan[0], "SCALAR") && !strings.HasSuffix(plan[0], "VALUES CLAUSE") {
					t.Errorf("%s\n does not begin with the text index: %v", statement, plan)
				}
			}
		}
	}
	if scans == 0 {
		t.Error("no search was planned")
	}
	for part, want := range map[string]string{
		"memory_sketches s CROSS": "memory_sketches_by", "content_hash = ? AND": "memories_hash", "x.thread = c.thread": "memories_thread",
		"key_key = ? AND archived_at": "memories_key", "WHERE indexed IS NULL": "memories_unindexed",
		"m.importance DESC, m.updated_at DESC, m.id DESC": "memor",
	} {
		for statement, plan := range plans {
			if strings.Contains(statement, part) && !strings.Contains(strings.Join(plan, "\n"), want) {
				t.Errorf("%s\n does not use %s: %v", statement, want, plan)
			}
		}
	}
}
