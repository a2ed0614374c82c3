package azuredevops

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/provider/transport"
)

func TestIdentity(t *testing.T) {
	for text, want := range map[string]provider.User{
		`{"displayName":"Ann","uniqueName":"ann@example.com","id":"1"}`: {ID: "ann@example.com", Name: "Ann", Email: "ann@example.com", Active: true},
		`{"displayName":"Build","uniqueName":"DOMAIN\\build"}`:          {ID: `DOMAIN\build`, Name: "Build", Active: true},
		`"Ann Archer <ann@example.com>"`:                                {ID: "ann@example.com", Name: "Ann Archer", Email: "ann@example.com", Active: true},
		`"Ann Archer"`:                                                  {ID: "Ann Archer", Name: "Ann Archer", Active: true},
		`{"displayName":"Gone","uniqueName":"g@x","inactive":true}`:     {ID: "g@x", Name: "Gone", Email: "g@x"},
	} {
		if got := identity(json.RawMessage(text)); got == nil || *got != want {
			t.Errorf("%s is %+v", text, got)
		}
	}
	for _, text := range []string{"", "null", "{}", `""`, "7", "[]"} {
		if got := identity(json.RawMessage(text)); got != nil {
			t.Errorf("%s is %+v", text, got)
		}
	}
}

// An item is taken for what a lost patch made only when it is one revision on and
// bears every value.
func TestCarries(t *testing.T) {
	c, err := New(Options{Organization: "o", Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	item := func(rev int, fields string) *provider.Item {
		i, err := c.item(t.Context(), json.RawMessage(fmt.Sprintf(`{"id":7,"rev":%d,"fields":{"System.State":"New","System.WorkItemType":"Bug",
			"System.ChangedDate":"2026-01-02T03:04:05Z","System.TeamProject":"P"%s}}`, rev, fields)))
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	before := item(1, "")
	for _, c := range []struct {
		now  *provider.Item
		ops  []op
		want bool
	}{
		{item(2, `,"Microsoft.VSTS.Common.Priority":1`), []op{set(fieldPriority, 1)}, true},
		{item(2, `,"Microsoft.VSTS.Common.Priority":2`), []op{set(fieldPriority, 1)}, false},
		{item(3, `,"Microsoft.VSTS.Common.Priority":1`), []op{set(fieldPriority, 1)}, false},
		{item(1, `,"Microsoft.VSTS.Common.Priority":1`), []op{set(fieldPriority, 1)}, false},
		{item(2, ""), []op{{Op: "remove", Path: "/fields/" + fieldPriority}}, true},
		{item(2, `,"Microsoft.VSTS.Common.Priority":1`), []op{{Op: "remove", Path: "/fields/" + fieldPriority}}, false},
		{item(2, `,"System.AssignedTo":{"displayName":"A","uniqueName":"A@x"}`), []op{set(fieldAssigned, "a@x")}, true},
		{item(2, `,"System.AssignedTo":{"displayName":"B","uniqueName":"b@x"}`), []op{set(fieldAssigned, "a@x")}, false},
		{item(2, ""), []op{set(fieldAssigned, "a@x")}, false},
		{item(2, ""), []op{{Op: "remove", Path: "/fields/" + fieldAssigned}}, true},
		{item(2, `,"System.Tags":"b; A"`), []op{{"replace", "/fields/" + fieldTags, "a; b"}}, true},
		{item(2, `,"System.Tags":"a; b; c"`), []op{{"replace", "/fields/" + fieldTags, "a; b"}}, false},
		{item(2, ""), []op{set(fieldState, "New")}, true},
		{item(2, ""), []op{set(fieldState, "New"), set(fieldPriority, 1)}, false},
	} {
		if got := carries(c.now, before, c.ops); got != c.want {
			t.Errorf("%v on %s: %t", c.ops, c.now.Raw, got)
		}
	}
}

// FuzzWorkItem reads any JSON as a work item: it is an item with an id and a
// state, or an error.
func FuzzWorkItem(f *testing.F) {
	fields := `"System.State":"New","System.WorkItemType":"Bug","System.ChangedDate":"2026-01-02T03:04:05.67Z","System.TeamProject":"P"`
	for _, text := range []string{
		`{"id":7,"rev":2,"fields":{` + fields + `}}`,
		`{"id":7,"rev":2,"fields":{` + fields + `,"System.AssignedTo":{"displayName":"A","uniqueName":"a@b"},"System.Tags":"a; b;; A","Microsoft.VSTS.Common.Priority":1}}`,
		`{"id":7,"rev":2,"fields":{` + fields + `,"System.AssignedTo":"A <a@b>","Microsoft.VSTS.Common.Priority":"2","System.Parent":3,"Microsoft.VSTS.Scheduling.StoryPoints":2.5}}`,
		`{"id":7,"rev":2,"fields":{` + fields + `,"System.IterationPath":"P\\Sprint 1"},"relations":[{"rel":"System.LinkTypes.Hierarchy-Reverse","url":"https://x/_apis/wit/workItems/12","attributes":{"isLocked":true}},{"rel":"System.LinkTypes.Related","url":""}]}`,
		`null`, `{}`, `{"id":-1}`, `{"id":7,"rev":1,"fields":null}`, `[]`,
	} {
		f.Add([]byte(text))
	}
	c, err := New(Options{Organization: "o", Token: "t"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		w, err := parse(raw)
		if err != nil {
			if !provider.Is(err, provider.Protocol) {
				t.Fatalf("%v", err)
			}
			return
		}
		item, err := c.item(t.Context(), raw)
		if err != nil {
			t.Fatal(err)
		}
		if item.RemoteID == "" || item.Key == "" || item.Version == "" || item.Status.Name == "" || item.Priority < 0 || item.Priority > 4 {
			t.Fatalf("%+v", item)
		}
		if _, err := patch(w, item, provider.Change{AddLabels: []string{"x"}, Priority: &item.Priority}); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzTags: tags that are written are read again as the same tags.
func FuzzTags(f *testing.F) {
	for _, text := range []string{"", "a", "a; b", " ;;a;A ; b;", "ünïcode; x y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list := tags(text)
		if again := tags(strings.Join(list, "; ")); !slices.Equal(list, again) {
			t.Fatalf("%q is %q and then %q", text, list, again)
		}
	})
}

// FuzzRefusal reads any body and headers of an answer.
func FuzzRefusal(f *testing.F) {
	f.Add(400, []byte(`{"message":"VS402337: too many","typeKey":"X"}`), "0", "1790000000", "3")
	f.Add(200, []byte(`{"message":7}`), "0", "99999999999999999999", "-1")
	f.Add(429, []byte("\ufeff<html>"), "x", "-5", "Wed, 21 Oct 2026 07:28:00 GMT")
	c, err := New(Options{Organization: "o", Token: "t"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, status int, body []byte, remaining, reset, after string) {
		v := c.judge(&transport.Response{Request: &transport.Request{Op: "fuzz"}, Status: status, Body: body,
			Header: http.Header{"X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}, "Retry-After": {after}}})
		if v.Hold < 0 || v.Err == nil && (status < 200 || status >= 300) {
			t.Fatalf("%d: %+v", status, v)
		}
	})
}

// FuzzCursor: a cursor that cannot be understood is an empty one, and costs no
// more than reading again.
func FuzzCursor(f *testing.F) {
	f.Add([]byte(`{"scope":"a","at":{"seen":{"mark":"2026-01-02T03:04:05Z"},"pass":{"after":7}}}`))
	f.Add([]byte(`{"scope":"a","at":{"pass":null,"types":["epic"]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		at := provider.LoadCursor[cursor](text, "a")
		if _, err := provider.SaveCursor(at, "a"); err != nil && at.Seen.Mark.Year() >= 0 && at.Seen.Mark.Year() < 10000 {
			t.Fatal(err)
		}
	})
}

// Projects of two organizations may have one name.
func TestScope(t *testing.T) {
	scope := func(org, project string) string {
		c, err := New(Options{Organization: org, Project: project, Token: "t"})
		if err != nil {
			t.Fatal(err)
		}
		return c.scope()
	}
	if scope("a", "p") == scope("b", "p") || scope("a", "p") == scope("a", "q") || scope("A", "P") != scope("a", "p") {
		t.Error("a cursor is about one project of one organization")
	}
}

// A long text is in the format that the service names; where it names none, HTML is
// known by its tags.
func TestFormatOfTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, apiError string
		want           provider.Format
	}{
		{"<div>a</div>", "", provider.HTML}, {"<div>a</div>", "html", provider.HTML}, {"a &lt; b", "", provider.HTML},
		{"# Why\n\n1. a < b", "", provider.Markdown}, {"see <b>", "markdown", provider.Markdown}, {"plain", "Html", provider.HTML},
	} {
		w := &workItem{Fields: map[string]json.RawMessage{fieldBody: json.RawMessage(strconv.Quote(c.text))}, Formats: map[string]string{strings.ToLower(fieldBody): c.apiError}}
		if got := w.body(fieldBody); got.Format != c.want || got.Text != c.text {
			t.Errorf("%q, said %q: %+v", c.text, c.apiError, got)
		}
	}
	for text, want := range map[string]bool{"<div><br></div>": false, " &nbsp;\n": false, "<p>\u00a0</p>": false, "": false, "<div>x</div>": true, `<div><img src="a.png"></div>`: true, "<": true} {
		if worded(text) != want {
			t.Errorf("%q says something: %v", text, !want)
		}
	}
}
