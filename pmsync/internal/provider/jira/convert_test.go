package jira

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

func bare(t testing.TB) *Client {
	t.Helper()
	c, err := New(Options{URL: "https://example.atlassian.net", Token: "x", Project: "PROJ", Transport: transport.Options{},
		Mapping: provider.Mapping{Category: map[string]provider.Category{"Won't Do": provider.Canceled}}})
	if err != nil {
		t.Fatal(err)
	}
	c.site.Store(&site{Sprint: "customfield_1", Points: []string{"customfield_2"}, Priorities: map[string]int{"77": 3}})
	return c
}

// TestStates holds that names mean nothing: sites have states named Done that are
// not.
func TestStates(t *testing.T) {
	c := bare(t)
	for _, s := range []struct {
		name, category, resolution string
		want                       provider.Category
	}{
		{"Done", "new", "", provider.Todo}, {"已完成", "done", "", provider.Done}, {"已完成", "new", "", provider.Todo},
		{"To Do", "indeterminate", "", provider.InProgress}, {"x", "undefined", "", provider.Todo}, {"x", "invented", "", provider.InProgress},
		{"Won't Do", "done", "", provider.Canceled}, {"Closed", "done", "Won't Do", provider.Canceled}, {"Closed", "done", "Fixed", provider.Done},
		{"Reopened", "new", "Won't Do", provider.Todo},
	} {
		in := status{ID: "1", Name: s.name}
		in.StatusCategory.Key = s.category
		if got := c.status(in, s.resolution); got.Category != s.want {
			t.Errorf("%q of %q with %q is %s, not %s", s.name, s.category, s.resolution, got.Category, s.want)
		}
	}
}

func TestRankPriorities(t *testing.T) {
	for n, want := range map[int]string{1: "2", 2: "3 1", 3: "3 2 1", 4: "4 3 2 1", 5: "4 3 2 1 1", 6: "4 4 3 2 2 1", 9: "4 4 4 3 3 2 2 1 1"} {
		var list []named
		for i := range n {
			list = append(list, named{ID: fmt.Sprint(i)})
		}
		ranks, got := rankPriorities(list), ""
		for i := range n {
			got += fmt.Sprint(ranks[fmt.Sprint(i)], " ")
		}
		if got != want+" " {
			t.Errorf("%d priorities are %s, not %s", n, got, want)
		}
	}
}

func TestTimes(t *testing.T) {
	want := time.Date(2026, 1, 1, 12, 30, 0, 123e6, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-01-01T12:30:00.123+0000": want, "2026-01-01T13:30:00.123+0100": want, "2026-01-01T12:30:00.123Z": want, "2026-01-01T13:30:00.123+01:00": want,
		"2026-01-01T12:30:00+0000": want.Truncate(time.Second),
	} {
		if got, err := parseTime(text); err != nil || !got.Equal(want) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	var s stamp
	if err := json.Unmarshal([]byte(`null`), &s); err != nil || !s.IsZero() {
		t.Error(s, err)
	}
	if err := json.Unmarshal([]byte(`"yesterday"`), &s); !provider.Is(err, provider.Protocol) {
		t.Error(err)
	}
}

// TestItem reads shapes that sites really send.
func TestItem(t *testing.T) {
	c := bare(t)
	const rest = `"status":{"id":"1","name":"To Do","statusCategory":{"key":"new"}},"project":{"id":"10000","key":"PROJ"},"updated":"2026-01-01T00:00:00.000+0000"`
	for name, s := range map[string]struct {
		fields string
		check  func(*provider.Item) bool
	}{
		"a plain description":      {`"description":"text"`, func(i *provider.Item) bool { return i.Body == provider.Text{Format: provider.Plain, Text: "text"} }},
		"a document":               {`"description":{"type":"doc"}`, func(i *provider.Item) bool { return i.Body.Format == provider.ADF }},
		"nothing":                  {`"description":null,"assignee":null,"priority":null,"customfield_1":null,"customfield_2":null`, func(i *provider.Item) bool { return i.Assignee == nil && i.Priority == 0 && i.Body.Text == "" }},
		"a priority of the scheme": {`"priority":{"id":"77","name":"P2"}`, func(i *provider.Item) bool { return i.Priority == 3 && i.PriorityLabel == "P2" }},
		"sprints":                  {`"customfield_1":[{"id":1,"name":"a","state":"closed"},{"id":2,"name":"b","state":"active"},{"id":3,"name":"c","state":"future"}]`, func(i *provider.Item) bool { return i.Sprint.ID == "2" }},
		"closed sprints":           {`"customfield_1":[{"id":1,"name":"a","state":"closed"},{"id":2,"name":"b","state":"CLOSED"}]`, func(i *provider.Item) bool { return i.Sprint.ID == "2" }},
		"sprints of another shape": {`"customfield_1":["com.atlassian.greenhopper.service.sprint.Sprint@1[id=1]"],"customfield_2":"many"`, func(i *provider.Item) bool { return i.Sprint == nil && i.Estimate == nil }},
		"points":                   {`"customfield_2":2.5`, func(i *provider.Item) bool { return *i.Estimate == 2.5 }},
		"an epic":                  {`"issuetype":{"name":"Initiative","hierarchyLevel":2}`, func(i *provider.Item) bool { return i.Type == provider.TypeEpic }},
		"a subtask":                {`"issuetype":{"subtask":true},"parent":{"id":"5","key":"PROJ-5"}`, func(i *provider.Item) bool { return i.Type == provider.TypeSubtask && i.Parent.Key == "PROJ-5" }},
		"an own kind of link": {`"issuelinks":[{"id":"1","type":{"name":"Gantt","outward":"has to be done before","inward":"has to be done after"},"inwardIssue":{"id":"6","key":"PROJ-6"}}]`,
			func(i *provider.Item) bool {
				return i.Links[0].Relation == provider.BlockedBy && i.Links[0].Native == "has to be done after" && !i.Links[0].Resolved
			}},
	} {
		t.Run(name, func(t *testing.T) {
			item, err := c.item(context.Background(), json.RawMessage(`{"id":"1","key":"PROJ-1","fields":{`+rest+`,`+s.fields+`}}`))
			if err != nil || !s.check(item) {
				t.Errorf("%+v, %v", item, err)
			}
		})
	}
}

func FuzzItem(f *testing.F) {
	f.Add([]byte(`{"id":"1","key":"PROJ-1","fields":{"status":{"id":"1","name":"To Do","statusCategory":{"key":"new"}},"project":{"id":"10000","key":"PROJ"},
		"updated":"2026-01-01T00:00:00.000+0000","customfield_1":[{"id":1}],"issuelinks":[{"type":{"name":"Blocks"},"outwardIssue":{"id":"2"}}],"labels":["b","a"]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var head struct{ Fields struct{ Priority *named } }
		if json.Unmarshal(raw, &head) == nil && head.Fields.Priority != nil {
			return // asks the site for its priorities
		}
		item, err := bare(t).item(context.Background(), raw)
		if err == nil && (item.RemoteID == "" || item.Status.Category == "" || item.UpdatedAt.IsZero()) {
			t.Errorf("%+v", item)
		}
	})
}

func FuzzTime(f *testing.F) {
	f.Add("2026-01-01T00:00:00.000+0000")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = parseTime(text) })
}
