package cypher_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/agit/internal/graph/cypher"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/memory"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/tck"
	"github.com/agit-suite/agit/agit/internal/graph/cypher/value"
)

// The queries in the descriptions of the knowledge graph's tools.
const (
	nextTask = `MATCH (t:Task {status: 'pending'})
WHERE t.priority IN $priorities
  AND ALL(cap IN t.requiredCapabilities WHERE cap IN $capabilities)
  AND NOT EXISTS {
    MATCH (t)-[:DEPENDS_ON]->(dep:Task)
    WHERE dep.status <> 'completed'
  }
  AND NOT EXISTS {
    MATCH (t)-[:BLOCKED_BY]->(b:Bug {status: 'open'})
  }
OPTIONAL MATCH (t)<-[:HAS_TASK]-(e:Epic)<-[:CONTAINS]-(p:Project)
RETURN t, e.name AS epicName, p.name AS projectName
ORDER BY
  CASE t.priority
    WHEN 'critical' THEN 1
    WHEN 'high' THEN 2
    WHEN 'medium' THEN 3
    ELSE 4
  END,
  t.created
LIMIT 1`
	unblocked = `MATCH (completed:Task {status: 'completed'})
MATCH (pending:Task {status: 'pending'})-[:DEPENDS_ON]->(completed)
WHERE NOT EXISTS {
  MATCH (pending)-[:DEPENDS_ON]->(other:Task)
  WHERE other.status <> 'completed' AND other.id <> completed.id
}
RETURN COLLECT(pending.id) AS unblockedTasks`
	statistics = `MATCH (p:Project {id: $projectId})-[:CONTAINS]->(e:Epic)-[:HAS_TASK]->(t:Task)
RETURN
  COUNT(t) AS total,
  SUM(CASE WHEN t.status = 'pending' THEN 1 ELSE 0 END) AS pending,
  SUM(CASE WHEN t.status = 'completed' THEN 1 ELSE 0 END) AS completed`
	criticalPath = `MATCH path = (start:Task)-[:DEPENDS_ON*]->(end:Task)
WHERE NOT EXISTS((end)-[:DEPENDS_ON]->(:Task))
RETURN [node IN nodes(path) | node.id] AS taskIds
ORDER BY length(path) DESC
LIMIT 1`
	openBugs = `MATCH (b:Bug {status: 'open'})
OPTIONAL MATCH (b)-[:BLOCKS]->(t:Task)
RETURN b.id, b.title, b.severity, COUNT(t) AS blockedCount
ORDER BY CASE b.severity WHEN 'critical' THEN 1 WHEN 'high' THEN 2 ELSE 4 END, blockedCount DESC`
	notBlocked = `PROFILE MATCH (t:Task {status: 'pending'})
WHERE NOT EXISTS((t)-[:BLOCKED_BY]->(:Bug))
RETURN t.id ORDER BY t.id`
)

const ontology = `
CREATE (p:Project {id: 'p', name: 'App'})-[:CONTAINS]->(e:Epic {id: 'e', name: 'UAT'}),
  (e)-[:HAS_TASK]->(t1:Task {id: 'UAT-001', status: 'completed', priority: 'high', requiredCapabilities: ['browser'], created: '2026-01-01'}),
  (e)-[:HAS_TASK]->(t2:Task {id: 'UAT-002', status: 'pending', priority: 'high', requiredCapabilities: ['browser'], created: '2026-01-02'}),
  (e)-[:HAS_TASK]->(t3:Task {id: 'UAT-003', status: 'pending', priority: 'critical', requiredCapabilities: ['browser'], created: '2026-01-03'}),
  (e)-[:HAS_TASK]->(t4:Task {id: 'UAT-004', status: 'pending', priority: 'critical', requiredCapabilities: ['root'], created: '2026-01-04'}),
  (b:Bug {id: 'BUG-1', title: 'Broken', severity: 'high', status: 'open'}),
  (t2)-[:DEPENDS_ON]->(t1), (t3)-[:DEPENDS_ON]->(t2), (t4)-[:BLOCKED_BY]->(b), (b)-[:BLOCKS]->(t4)`

func TestOntologyQueries(t *testing.T) {
	g := &memory.Graph{}
	if err := tck.Write(g, ontology); err != nil {
		t.Fatal(err)
	}
	params := map[string]any{"projectId": "p", "priorities": []string{"high", "critical"}, "capabilities": []string{"browser", "root"}}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"MATCH (t:Task) RETURN count(t)", []string{"[4]"}},
		{nextTask + "\n// the whole node comes back", []string{"[(:Task {created: '2026-01-02', id: 'UAT-002', priority: 'high', requiredCapabilities: ['browser'], status: 'pending'}), 'UAT', 'App']"}},
		{unblocked, []string{"[['UAT-002']]"}},
		{statistics, []string{"[4, 3, 1]"}},
		{criticalPath, []string{"[['UAT-003', 'UAT-002', 'UAT-001']]"}},
		{openBugs, []string{"['BUG-1', 'Broken', 'high', 1]"}},
		{notBlocked, []string{"['UAT-002']", "['UAT-003']"}},
	} {
		_, rows, err := cypher.Collect(context.Background(), g, c.query, params, cypher.Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.query, err)
			continue
		}
		var got []string
		for _, row := range rows {
			got = append(got, value.Format(row))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.query, diff)
		}
	}
}
