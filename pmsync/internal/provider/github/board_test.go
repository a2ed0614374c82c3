package github

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

// TestParseBoard: a project as people name it.
func TestParseBoard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "/0", "octo/7": "octo/7", " octo/#7 ": "octo/7", "7": "own/7",
		"https://github.com/orgs/octo/projects/7":         "octo/7",
		"https://github.com/users/ann/projects/12/":       "ann/12",
		"https://github.com/orgs/octo/projects/7/views/2": "octo/7",
		"octo": "", "octo/x": "", "octo/0": "", "/7": "", "https://github.com/octo/app": "",
	} {
		got, err := parseBoard(text, "own/app")
		if want == "" {
			if err == nil {
				t.Errorf("%q is %v", text, got)
			}
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	if _, err := parseBoard("7", ""); err == nil {
		t.Error("a number without a repository names a project")
	}
}

// TestOptionPriority: options by the usual words, by number, and as the configuration has
// them.
func TestOptionPriority(t *testing.T) {
	t.Parallel()
	c := &Client{mapping: provider.Mapping{Priority: map[string]int{"Someday": 1, "High": 2}}}
	for name, want := range map[string]int{"Urgent": 4, "🔥 urgent": 4, "P0": 4, "P1 - soon": 3, "Medium": 2, "P3 low": 1, "Someday": 1, "High": 2, "Whatever": 0} {
		if got := c.optionPriority(option{Name: name}); got != want {
			t.Errorf("%q is %d, not %d", name, got, want)
		}
	}
}

// TestApply: the option counts while the issue is open, and where it means what the issue
// was closed for.
func TestApply(t *testing.T) {
	t.Parallel()
	c := &Client{}
	b := &board{ID: "P", status: &boardField{Options: []option{{ID: "1", Name: "Todo"}, {ID: "2", Name: "In Progress"}, {ID: "3", Name: "Done"}}}}
	for _, one := range []struct {
		state  string
		reason string
		option string
		want   string
	}{
		{"open", "", "1", "Todo"}, {"open", "", "2", "In Progress"}, {"open", "", "3", "Done"}, {"open", "", "", "Open"}, {"open", "", "gone", "Open"},
		{closed, "", "3", "Done"}, {closed, "", "2", "Completed"}, {closed, stateNotPlanned.ID, "3", "Not planned"}, {closed, "", "", "Completed"},
	} {
		out := &provider.Item{Priority: 3, Sprint: &provider.Ref{ID: "milestone"}}
		c.apply(b, &place{Item: "I", Status: one.option}, &issue{State: one.state, Reason: one.reason}, out)
		if out.Status.Name != one.want {
			t.Errorf("%+v is %q", one, out.Status.Name)
		}
		if out.Priority != 3 || out.Sprint == nil || out.Estimate != nil {
			t.Errorf("fields that the project lacks changed: %+v", out)
		}
	}
	three := 3.0
	b = &board{ID: "P", priority: &boardField{Options: []option{{ID: "9", Name: "High"}}}, points: &boardField{}, iteration: &boardField{}}
	out := &provider.Item{Priority: 1, Status: stateOpen, Version: "v"}
	c.apply(b, &place{Priority: "9", Points: &three, Iteration: option{ID: "i", Title: "Two"}}, &issue{State: "open"}, out)
	if out.Priority != 3 || out.PriorityLabel != "High" || *out.Estimate != 3 || out.Sprint.ID != "P/i" || out.Sprint.Name != "Two" || out.Status.Name != "Open" || out.Version != "v/,9,i,3" {
		t.Errorf("%+v", out)
	}
	c.apply(b, nil, &issue{State: "open"}, out)
	if out.Priority != 0 || out.Sprint != nil {
		t.Errorf("an issue that is not in the project has %+v", out)
	}
}

// TestSprintsOfAProject: by their days.
func TestSprintsOfAProject(t *testing.T) {
	t.Parallel()
	f := &boardField{}
	f.Configuration.CompletedIterations = []option{{ID: "a", Title: "One", Start: "2026-01-01", Duration: 14}}
	f.Configuration.Iterations = []option{{ID: "b", Title: "Two", Start: "2026-01-15", Duration: 14}, {ID: "c", Title: "Three", Start: "2026-01-29", Duration: 14}}
	b := &board{ID: "P", iteration: f}
	for now, want := range map[string]string{
		"2026-01-15T00:00:00Z": "P/a completed, P/b active, P/c planned, ",
		"2026-01-14T23:59:59Z": "P/a active, P/b planned, P/c planned, ",
		"2026-01-29T00:00:00Z": "P/a completed, P/b completed, P/c active, ",
	} {
		at, err := time.Parse(time.RFC3339, now)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := b.sprints(at, func(s provider.Sprint) error { got += fmt.Sprint(s.ID, " ", s.State, ", "); return nil }); err != nil || got != want {
			t.Errorf("at %s they are %s", now, got)
		}
	}
}

// TestJudgeGraph: errors of GraphQL come with a 200.
func TestJudgeGraph(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]provider.Reason{
		`{"data":{"a":1}}`: "",
		`{"data":null,"errors":[{"type":"RATE_LIMITED","message":"m"}]}`:                         provider.RateLimited,
		`{"data":null,"errors":[{"type":"NOT_FOUND","message":"m"}]}`:                            provider.NotFound,
		`{"data":{"nodes":[null]},"errors":[{"type":"NOT_FOUND","message":"m"}]}`:                "",
		`{"data":{"a":null},"errors":[{"type":"INSUFFICIENT_SCOPES","message":"m"}]}`:            provider.Forbidden,
		`{"data":{"a":null},"errors":[{"type":"FORBIDDEN","message":"m"}]}`:                      provider.Forbidden,
		`{"errors":[{"message":"Something went wrong while executing your query"}]}`:             provider.Unavailable,
		`{"data":{"a":null},"errors":[{"type":"UNPROCESSABLE","message":"The field is wrong"}]}`: provider.Invalid,
	} {
		v, judged := judgeGraph(&transport.Response{Request: &transport.Request{Path: graphPath, Op: "do it", Safe: true}, Status: http.StatusOK, Body: []byte(body), Header: http.Header{}})
		if judged != (want != "") || judged && v.Err.Reason != want {
			t.Errorf("%s: %+v, %v", body, v, judged)
		}
		if v.Retry != (want == provider.Unavailable || want == provider.RateLimited) {
			t.Errorf("%s: %+v", body, v)
		}
	}
}

// TestGraphBase: where the GraphQL API is beside the REST API.
func TestGraphBase(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{"https://api.github.com": "https://api.github.com", "https://git.example.com/api/v3": "https://git.example.com/api"} {
		if got := graphBase(base); got != want {
			t.Errorf("of %s it is %s", base, got)
		}
	}
}
