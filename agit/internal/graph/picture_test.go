package graph

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPictureInText(t *testing.T) {
	p := Picture{
		Nodes: []Node{
			{"Project:app", "Project", "An app", "active"}, {"Epic:E", "Epic", "Testing", "in_progress"}, {"Task:A", "Task", "first", "completed"},
			{"Task:B", "Task", "second", "pending"}, {"Task:C", "Task", "C", "pending"}, {"Bug:BUG-1", "Bug", "It breaks", "open"}, {"Agent:ann", "Agent", "ann", "idle"},
			{"Task:X", "Task", "X", "pending"}, {"Task:Y", "Task", "Y", "pending"},
		},
		Arrows: []Arrow{
			{"Project:app", "Epic:E", "CONTAINS"}, {"Project:app", "Task:C", "HAS_TASK"}, {"Epic:E", "Task:A", "HAS_TASK"}, {"Epic:E", "Task:B", "HAS_TASK"},
			{"Task:B", "Task:A", "DEPENDS_ON"}, {"Task:B", "Task:C", "DEPENDS_ON"}, {"Task:B", "Bug:BUG-1", "BLOCKED_BY"}, {"Agent:ann", "Bug:BUG-1", "REPORTED"},
			{"Task:X", "Task:Y", "PARENT_OF"}, {"Task:Y", "Task:X", "PARENT_OF"},
		},
	}
	want := `Project app  An app  active
├─ Epic E  Testing  in_progress
│  ├─ Task A  first  completed
│  └─ Task B  second  pending  ‹waited for A›  ‹waits for C›  ‹blocked by BUG-1›
└─ Task C  pending
Bug BUG-1  It breaks  open
Agent ann  idle  ‹reported BUG-1›
Task X  pending
└─ Task Y  pending
`
	if diff := cmp.Diff(want, p.Text()); diff != "" {
		t.Error(diff)
	}
}

func TestPictureInHTML(t *testing.T) {
	p := Picture{
		Nodes:  []Node{{"Task:A", "Task", "<script>alert(1)</script>", "completed"}, {"Task:B", "Task", `"><b>`, "pending"}, {"Bug:C", "Bug", "It breaks", "open"}, {"Task:D", "Task", "alone", "pending"}},
		Arrows: []Arrow{{"Task:B", "Task:A", "DEPENDS_ON"}, {"Task:B", "Bug:C", "BLOCKED_BY"}, {"Task:A", "Task:B", "DEPENDS_ON"}}, // a cycle
	}
	page := p.HTML("<app>")
	for _, bad := range []string{"<script", `"><b>`, "<app>", "http:", "https:"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;", `role="img"`, `<th scope="row">alone</th>`, `class="box bad"`, "prefers-color-scheme: dark"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if strings.Count(page, "<g class") != 3 {
		t.Error("what waits for nothing is drawn, or something is not")
	}
	if strings.Contains(Picture{}.HTML("x"), "<svg") {
		t.Error("nothing is drawn as something")
	}
}
