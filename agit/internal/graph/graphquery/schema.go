package graphquery

// Schema lists what a query can ask for.
type Schema struct {
	Labels        []LabelSchema        `json:"labels"`
	Relationships []RelationshipSchema `json:"relationships"`
	Examples      []Example            `json:"examples"`
}

// LabelSchema is a label and the properties its nodes may have.
type LabelSchema struct {
	Label      string   `json:"label"`
	Properties []string `json:"properties"`
}

// RelationshipSchema is a type of relationship between two labels.
type RelationshipSchema struct {
	Start string `json:"start"`
	Type  string `json:"type"`
	End   string `json:"end"`
}

// Example is a query with a description of its answer.
type Example struct {
	About string `json:"about"`
	Query string `json:"query"`
}

// Describe returns the schema from the tables that queries run on.
func Describe() Schema {
	s := Schema{Examples: []Example{
		{"what is being worked on, and by whom", `MATCH (t:Task {status: 'in_progress'})-[:ASSIGNED_TO]->(a:Agent) RETURN t.id, t.name, a.name`},
		{"what a task waits for, directly or not", `MATCH (t:Task {id: $id})-[:DEPENDS_ON*1..]->(d:Task) WHERE d.status <> 'completed' RETURN DISTINCT d.id, d.status`},
		{"tasks that a bug blocks", `MATCH (b:Bug)-[:BLOCKS]->(t:Task) RETURN b.id, b.severity, collect(t.id) AS tasks ORDER BY b.id`},
		{"progress of each epic", `MATCH (e:Epic)-[:HAS_TASK]->(t:Task) RETURN e.id, count(t) AS tasks, sum(CASE t.status WHEN 'completed' THEN 1 ELSE 0 END) AS completed`},
		{"what each agent completed", `MATCH (a:Agent)-[:COMPLETED]->(t:Task) RETURN a.name, count(t) AS completed ORDER BY completed DESC`},
	}}
	for _, l := range labels {
		s.Labels = append(s.Labels, LabelSchema{l.name, l.names()})
	}
	for _, r := range relationships {
		s.Relationships = append(s.Relationships, RelationshipSchema{r.start, r.name, r.end})
	}
	return s
}
