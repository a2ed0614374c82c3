package graphquery_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/agit-suite/agit/agit/internal/graph/graphquery"
	"github.com/agit-suite/agit/shared/cli/clitest"
	"github.com/agit-suite/agit/shared/registry"
)

// asked are queries that a view answers in ways of their own.
var asked = []string{
	"MATCH (n) RETURN count(n) AS n",
	"MATCH (t:Task) RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task) RETURN t.status AS s, count(*) AS n ORDER BY s",
	"MATCH (t:Task {id: 'UAT-001'}) RETURN t",
	"MATCH (t:Task) WHERE t.id IN ['UAT-001', 'UAT-002', 7] RETURN t.name AS n ORDER BY n",
	"MATCH (t:Task) WHERE t.id IN ['UAT-001', 'UAT-002'] RETURN t.name AS n ORDER BY n",
	"MATCH (t:Task {id: 7}) RETURN t.name AS n",
	"MATCH (a:Agent {name: 'ANN'}) RETURN a.name AS n",
	"MATCH (a:Agent {name: 'ann'}) RETURN a",
	"MATCH (t:Task) WHERE t.id > 'UAT-001' RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task {status: 'completed'}) RETURN t.id AS id",
	"MATCH (t:Task {status: 'blocked'}) RETURN t.id AS id",
	"MATCH (t:Task) WHERE t.status IN ['claimed', 'pending'] RETURN t.id AS id",
	"MATCH (t:Task) WHERE t.status <> 'completed' RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task) WHERE t.status > 'b' RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task) WHERE t.priority = 'high' RETURN t.id AS id",
	"MATCH (t:Task) WHERE t.priority IN ['low', 'nothing', 'critical'] RETURN t.id AS id",
	"MATCH (t:Task) WHERE t.priority <> 'high' RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task) WHERE t.name = 'First' RETURN t.id AS id",
	"MATCH (t:Task) WHERE t.description = '' RETURN t.id AS id",
	"MATCH (t:Task) WHERE t.description IS NOT NULL RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task) WHERE t.nothing = 'x' RETURN t.id AS id",
	"MATCH (t:Task) WHERE t.assignedTo = 'bob' RETURN t.id AS id",
	"MATCH (t:Task) WHERE t.created > datetime('2020-01-01T00:00Z') AND t.created <= datetime('2100-01-01T00:00Z') RETURN count(*) AS n",
	"MATCH (t:Task) WHERE 'go' IN t.requiredCapabilities RETURN t.id AS id",
	"MATCH (e:Epic)-[:HAS_TASK]->(t) RETURN e.name AS e, t.status AS s, count(*) AS n ORDER BY s",
	"MATCH (e:Epic)-[:HAS_TASK]->(t) RETURN e.name AS e, t.name AS t, count(*) AS n ORDER BY t",
	"MATCH (e:Epic)-[:HAS_TASK]->(t {status: 'completed'}) RETURN e.name AS e, count(t) AS n",
	"MATCH (p:Project)-[:HAS_TASK]->(t:Task) RETURN p.name AS p, count(t) AS n",
	"MATCH (p:Project)-[:HAS_AGENT]->(a) RETURN p.name AS p, count(a) AS n",
	"MATCH (t:Task)--(x) RETURN t.id AS id, count(x) AS n ORDER BY id",
	"MATCH (t:Task)-->(x:Task) RETURN t.priority AS p, x.priority AS q, count(*) AS n",
	"MATCH (t:Task) WHERE (t)-[:DEPENDS_ON]->() RETURN t.id AS id",
	"MATCH (t:Task) WHERE NOT (t)-[:DEPENDS_ON]->() RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task) WHERE NOT (t)--(:Bug {status: 'open'}) RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task) WHERE (t)--(:Bug {severity: 'high'}) RETURN t.id AS id ORDER BY id",
	"MATCH (t:Task) WHERE EXISTS { (t)-[:DEPENDS_ON]->(x:Task) WHERE x.priority = 'high' } RETURN t.id AS id",
	"MATCH (t:Task) WHERE EXISTS { (t)-[:DEPENDS_ON]->(x:Task) WHERE x.name STARTS WITH 'F' } RETURN t.id AS id",
	"MATCH (t:Task) WITH t LIMIT 3 WHERE (t)<-[:BLOCKS]-(:Bug) RETURN t.id AS id",
	"MATCH (t:Task)-[:BLOCKED_BY]->(b) RETURN t.id AS t, b.id AS b, b.title AS title",
	"MATCH (b:Bug)-[:BLOCKS]->(t) RETURN b {.*} AS b, t.id AS t",
	"MATCH (a:Task {id: 'UAT-002'})-[:DEPENDS_ON*1..2]->(b) RETURN b.id AS id",
	"MATCH p = (:Project)-[*1..2]->(x) RETURN length(p) AS l, count(*) AS n ORDER BY l",
	"MATCH (a:Agent)-[:COMPLETED|REPORTED]->(x) RETURN a.name AS a, labels(x) AS l, x.id AS id ORDER BY id",
	"MATCH (s:TestScenario)<-[:VALIDATES]-(t) RETURN s, t.id AS t",
	"MATCH (e:Epic {id: 'EPIC-1'}) RETURN properties(e).name AS n, keys(e) AS k",
	"MATCH (n) WHERE n:Bug OR n:Epic RETURN n.id AS id ORDER BY id",
	"MATCH (n:Bug:Epic) RETURN n",
}

// Each query with the statements that it needs first, and its answer: the database checks the conditions that it can.
func TestStatements(t *testing.T) {
	t.Parallel()
	var lock sync.Mutex
	var statements []string
	db, err := registry.Open(t.Context(), registry.Options{Path: filepath.Join(t.TempDir(), "agit.db"), Explain: func(statement string, _ []string) {
		lock.Lock()
		defer lock.Unlock()
		if one := strings.Join(strings.Fields(statement), " "); !strings.HasSuffix(one, " counted") { // estimates have no order
			statements = append(statements, one)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := filled(t, db)
	var all strings.Builder
	for _, query := range asked {
		statements = nil
		a, err := s.Query(t.Context(), graphquery.Ask{Text: query})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		rows, err := json.Marshal(a.Results)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "== %s\n%s\n%s\n", query, strings.Join(statements, "\n"), rows)
	}
	clitest.Golden(t, filepath.Join("testdata", "statements.txt"), clitest.NewMasks(t).Apply(all.String()))
}
