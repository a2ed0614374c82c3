package graphquery_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph"
	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"github.com/agit-suite/agit/agit/internal/task"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/registry/registrytest"
	"github.com/agit-suite/agit/shared/work"
)

// newGraph returns a registry with a small plan: UAT-002 waits for UAT-001, which ann completed; a bug blocks UAT-003, and bob works on
// UAT-002.
func newGraph(t *testing.T) *graphquery.Store {
	t.Helper()
	return filled(t, registrytest.Open(t))
}

// filled puts the small plan into a registry.
func filled(t *testing.T, db *registry.DB) *graphquery.Store {
	t.Helper()
	tasks := &task.Store{DB: db}
	g := &graph.Store{DB: db, Tasks: tasks}
	ctx := t.Context()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := g.CreateProject(ctx, graph.NewProject{ID: "proj", Name: "Project"})
	check(err)
	_, err = g.CreateEpic(ctx, graph.NewEpic{ID: "EPIC-1", Project: "proj", Name: "Epic", Priority: work.PriorityHigh})
	check(err)
	_, err = tasks.Create(ctx, []task.New{
		{ID: "UAT-001", Epic: "EPIC-1", Text: "First", Priority: work.PriorityHigh, Capabilities: []string{"go", "sql"}},
		{ID: "UAT-002", Epic: "EPIC-1", Text: "Second", Priority: work.PriorityMedium, DependsOn: []string{"UAT-001"}},
		{ID: "UAT-003", Project: "proj", Text: "Third", Priority: work.PriorityLow},
	})
	check(err)
	_, err = tasks.Report(ctx, task.Report{ID: "UAT-001", Status: task.Completed, Caller: task.Caller{Agent: "ann"}})
	check(err)
	_, err = tasks.Claim(ctx, "UAT-002", "bob")
	check(err)
	_, err = g.ReportBug(ctx, graph.BugReport{ID: "BUG-1", Title: "It breaks", Severity: "high", FoundBy: "ann", FoundIn: "UAT-001", Blocks: []string{"UAT-003"}})
	check(err)
	rate := 87.5
	_, err = g.RecordScenario(ctx, graph.ScenarioRecord{ID: "SCN-1", Name: "Login", Status: "passed", PassRate: &rate, Validates: []string{"UAT-001"}})
	check(err)
	return &graphquery.Store{DB: db}
}

func TestQueriesOverTheRegistry(t *testing.T) {
	s := newGraph(t)
	for query, want := range map[string]string{
		`MATCH (t:Task) RETURN t.id AS id, t.status AS status ORDER BY id`:                                                     `[{"id":"UAT-001","status":"completed"},{"id":"UAT-002","status":"claimed"},{"id":"UAT-003","status":"blocked"}]`,
		`MATCH (t:Task {id: 'uat-001'}) RETURN count(t) AS n`:                                                                  `[{"n":0}]`,
		`MATCH (t:Task {id: 'UAT-001'}) RETURN t.requiredCapabilities AS c, t.priority AS p`:                                   `[{"c":["go","sql"],"p":"high"}]`,
		`MATCH (a:Task)-[:DEPENDS_ON]->(b:Task) RETURN a.id AS a, b.id AS b`:                                                   `[{"a":"UAT-002","b":"UAT-001"}]`,
		`MATCH (:Project {id: 'proj'})-[:CONTAINS]->(e:Epic)-[:HAS_TASK]->(t:Task) RETURN e.status AS s, collect(t.id) AS ids`: `[{"ids":["UAT-001","UAT-002"],"s":"in_progress"}]`,
		`MATCH (:Project)-[:HAS_TASK]->(t) RETURN t.id AS id`:                                                                  `[{"id":"UAT-003"}]`,
		`MATCH (p:Project)-[:HAS_AGENT]->(a) RETURN a.name AS name ORDER BY name`:                                              `[{"name":"ann"},{"name":"bob"}]`,
		`MATCH (t)-[:ASSIGNED_TO]->(a:Agent) RETURN t.id AS t, a.name AS a, a.currentTask AS c`:                                `[{"a":"bob","c":"UAT-002","t":"UAT-002"}]`,
		`MATCH (a:Agent {name: 'ann'})-[:COMPLETED]->(t) RETURN t.id AS id`:                                                    `[{"id":"UAT-001"}]`,
		`MATCH (a:Agent)-[:REPORTED]->(b:Bug)-[:BLOCKS]->(t) RETURN a.name AS a, b.title AS b, t.id AS t`:                      `[{"a":"ann","b":"It breaks","t":"UAT-003"}]`,
		`MATCH (t)-[:BLOCKED_BY]->(b)-[:FOUND_IN]->(f:Task) RETURN t.id AS t, b.severity AS s, f.id AS f`:                      `[{"f":"UAT-001","s":"high","t":"UAT-003"}]`,
		`MATCH (t)-[:VALIDATES]->(s:TestScenario) RETURN s.id AS s, s.passRate AS r`:                                           `[{"r":87.5,"s":"SCN-1"}]`,
		`MATCH (t:Task) WHERE NOT EXISTS { (t)-[:DEPENDS_ON]->() } RETURN count(t) AS n`:                                       `[{"n":2}]`,
		`MATCH (n) RETURN count(n) AS n`:                                                                                       `[{"n":9}]`,
		`MATCH (t:Task)--(x) RETURN t.id AS id, count(x) AS n ORDER BY id`:                                                     `[{"id":"UAT-001","n":5},{"id":"UAT-002","n":3},{"id":"UAT-003","n":3}]`,
		`MATCH p = (:Task {id: 'UAT-002'})-[:DEPENDS_ON*1..3]->() RETURN length(p) AS l`:                                       `[{"l":1}]`,
	} {
		a, err := s.Query(t.Context(), graphquery.Ask{Text: query, Params: nil})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		got, err := json.Marshal(a.Results)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

func TestTheExamplesOfTheSchemaRun(t *testing.T) {
	s := newGraph(t)
	for _, e := range graphquery.Describe().Examples {
		if _, err := s.Query(t.Context(), graphquery.Ask{Text: e.Query, Params: map[string]any{"id": "UAT-002"}}); err != nil {
			t.Errorf("%s: %v", e.Query, err)
		}
	}
}

// TestNoTrickWrites: no query changes the registry.
func TestNoTrickWrites(t *testing.T) {
	s := newGraph(t)
	count := func() (n int) {
		err := s.DB.Read(t.Context(), func(tx *registry.Tx) (err error) {
			n, err = registry.One[int](tx.QueryRow(`SELECT (SELECT COUNT(*) FROM items) + (SELECT COUNT(*) FROM dependencies) + (SELECT SUM(version) FROM items)`))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count()
	for _, query := range []string{
		`CREATE (:Task {id: 'x'})`, `MATCH (t:Task) SET t.status = 'done'`, `MATCH (t) DELETE t`, `MATCH (t) DETACH DELETE t`,
		`MERGE (:Task {id: 'x'})`, `MATCH (t:Task) REMOVE t.name RETURN t`, `CALL db.labels()`, `LOAD CSV FROM 'x' AS l RETURN l`,
		`MATCH (t:Task) FOREACH (x IN [1] | SET t.a = x)`, `RETURN 1; CREATE (:Task)`, `MATCH (t) /* RETURN */ CREATE (:Task)`,
		"MATCH (t:Task) RETURN t \u0043REATE (:Task)", `MATCH (t) RETURN t UNION CREATE (:X) RETURN 1`,
	} {
		if _, err := s.Query(t.Context(), graphquery.Ask{Text: query, Params: nil}); !fault.Is(err, fault.KindValidation) {
			t.Errorf("%s: %v", query, err)
		}
	}
	for query, value := range map[string]string{`RETURN 'CREATE (n)' AS s`: "CREATE (n)", `RETURN 'x' /* DELETE */ AS s`: "x"} {
		a, err := s.Query(t.Context(), graphquery.Ask{Text: query, Params: nil})
		if err != nil || len(a.Results) != 1 || a.Results[0]["s"] != value {
			t.Errorf("%s: %v, %v", query, a, err)
		}
	}
	if after := count(); after != before {
		t.Errorf("the registry changed from %d to %d", before, after)
	}
}

func TestErrorsPointAtThePlace(t *testing.T) {
	s := newGraph(t)
	_, err := s.Query(t.Context(), graphquery.Ask{Text: "MATCH (t:Task)\nRETURN u.id", Params: nil})
	if !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "UndefinedVariable") || !strings.Contains(err.Error(), "2") {
		t.Errorf("an unknown variable: %v", err)
	}
}
