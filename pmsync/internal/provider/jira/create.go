package jira

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// indexed is the longest delay of Jira's search for a new issue.
const indexed = 2 * time.Minute

// Create creates an issue with a mark. After an attempt with an unknown outcome it searches for the mark before another attempt. Jira's
// search shows new issues late, so until then it returns an Uncertain error.
func (c *Client) Create(ctx context.Context, n provider.NewItem) (*provider.Item, error) {
	project, err := c.needProject()
	if err != nil {
		return nil, err
	}
	id := ""
	if !n.Attempted.IsZero() {
		if id, err = c.findCreated(ctx, project, n); err != nil {
			return nil, provider.Looking(err)
		}
		tried := n.Attempted
		if n.Tried.After(tried) {
			tried = n.Tried
		}
		if ready := tried.Add(indexed); id == "" && c.http.Now().Before(ready) {
			return nil, later(provider.Fail(provider.Uncertain, nil, "Jira may have made %q and does not show it yet", n.Title), ready)
		}
	}
	if id == "" {
		fields, kind, err := c.newFields(ctx, project, n)
		if err != nil {
			return nil, err
		}
		var made struct{ ID, Key string }
		err = c.do(ctx, request{Op: "make an issue", Method: http.MethodPost, Path: "api/3/issue",
			Body: map[string]any{"fields": fields, "properties": marks(n.Key)}}, &made)
		if e := provider.Details(err); e.Reason == provider.Uncertain || e.Reason == provider.Protocol {
			e.Reason = provider.Uncertain
			return nil, later(&e, c.http.Now().Add(indexed))
		}
		if err != nil {
			return nil, c.needed(ctx, kind, fields, err)
		}
		id = made.ID
	}
	item, err := c.Item(ctx, id)
	if err != nil || n.Status == nil {
		return item, provider.Looking(err)
	}
	moved, err := c.Update(ctx, item, provider.Change{Status: n.Status})
	return provider.Placed(item, moved, err)
}

func later(e *provider.Error, at time.Time) error {
	e.RetryAt = at
	return e
}

func (c *Client) findCreated(ctx context.Context, project string, n provider.NewItem) (string, error) {
	// Clocks differ; the mark is exact.
	since := n.Attempted.Add(-time.Hour).UnixMilli()
	jql := fmt.Sprintf("project = %s AND creator = currentUser() AND created >= %d ORDER BY created DESC", quote(project), since)
	tokens := map[string]bool{}
	var walk provider.Pages
	for token := ""; ; {
		body := map[string]any{"jql": jql, "fields": []string{"project"}, "properties": []string{mark}, "maxResults": pageOf}
		if token != "" {
			body["nextPageToken"] = token
		}
		var answer struct {
			Issues        []issue
			NextPageToken string
		}
		err := c.do(ctx, request{Op: "look for an issue", Method: http.MethodPost, Path: "api/3/search/jql", Body: body, Safe: true, Bucket: "search"}, &answer)
		if err != nil {
			return "", err
		}
		for _, i := range answer.Issues {
			var v markedValue
			if json.Unmarshal(i.Properties[mark], &v) == nil && v.Key == provider.UUID(n.Key) {
				return i.ID, nil
			}
		}
		if answer.NextPageToken == "" || tokens[answer.NextPageToken] {
			return "", nil
		}
		if err := walk.More(provider.Jira, "look for an issue", len(answer.Issues)); err != nil {
			return "", err
		}
		token = answer.NextPageToken
		tokens[token] = true
	}
}

// newFields returns the fields of a new issue and the id of its type; empty ones are left out.
func (c *Client) newFields(ctx context.Context, project string, n provider.NewItem) (map[string]any, string, error) {
	types, err := c.issueTypes(ctx)
	if err != nil {
		return nil, "", err
	}
	kind, err := chooseType(types, n)
	if err != nil {
		return nil, "", err
	}
	fields := map[string]any{"project": map[string]string{"key": project}, "issuetype": map[string]string{"id": kind.ID}, "summary": n.Title}
	if _, err := strconv.Atoi(project); err == nil {
		fields["project"] = map[string]string{"id": project}
	}
	if n.Text != "" {
		fields["description"] = Document(n.Text)
	}
	if n.Assignee != "" {
		fields["assignee"] = map[string]string{"accountId": n.Assignee}
	}
	if n.Parent != "" {
		fields["parent"] = map[string]string{"id": n.Parent}
	}
	if len(n.Labels) > 0 {
		fields["labels"] = n.Labels
	}
	if n.Priority == 0 && n.Sprint == "" && n.DueDate == "" && n.Estimate == nil && len(n.Fields) == 0 {
		return fields, kind.ID, nil
	}
	offered, err := c.offered(ctx, kind.ID)
	if err != nil {
		return nil, "", err
	}
	if f, has := offered["priority"]; has && n.Priority != 0 {
		if fields["priority"], err = c.pick(ctx, f.AllowedValues, n.Priority); err != nil {
			return nil, "", err
		}
	}
	if err := setCustom(fields, offered, n.Fields); err != nil {
		return nil, "", err
	}
	return fields, kind.ID, c.planned(ctx, fields, offered, n)
}

// planned adds the sprint, due date and estimate if the create screen has fields for them; otherwise Jira would refuse the issue.
func (c *Client) planned(ctx context.Context, fields map[string]any, offered map[string]field, n provider.NewItem) error {
	if _, has := offered["duedate"]; has && n.DueDate != "" {
		fields["duedate"] = n.DueDate
	}
	if n.Sprint == "" && n.Estimate == nil {
		return nil
	}
	s, err := c.know(ctx)
	if err != nil {
		return err
	}
	if n.Estimate != nil && n.Unit == "points" {
		if id := s.pointsIn(offered); id != "" {
			fields[id] = *n.Estimate
		}
	}
	if _, has := offered[s.Sprint]; has && n.Sprint != "" {
		number, err := strconv.ParseInt(n.Sprint, 10, 64)
		if err != nil {
			return provider.Fail(provider.Invalid, nil, "%q is not a sprint of Jira", n.Sprint)
		}
		fields[s.Sprint] = number
	}
	return nil
}

// chooseType returns the type of a new issue: the named one, otherwise the only one of its kind, otherwise the one named Task or Story,
// Jira's defaults.
func chooseType(types []issueType, n provider.NewItem) (issueType, error) {
	name := func(t issueType) string { return t.Name }
	if n.NativeType != "" {
		if at := typeNamed(types, n.NativeType); at >= 0 {
			return types[at], nil
		}
		return issueType{}, provider.Fail(provider.Invalid, nil, "the project has no issue type %q", n.NativeType).Hint("it has %s", provider.Quoted(types, name))
	}
	kind := cmp.Or(n.Type, provider.TypeTicket)
	fits := slices.DeleteFunc(slices.Clone(types), func(t issueType) bool { return t.kind() != kind })
	switch len(fits) {
	case 0:
		return issueType{}, provider.Fail(provider.Invalid, nil, "the project has no issue type for a %s", kind)
	case 1:
		return fits[0], nil
	}
	for _, usual := range []string{"Task", "Story"} {
		if at := typeNamed(fits, usual); at >= 0 {
			return fits[at], nil
		}
	}
	return issueType{}, provider.Fail(provider.Ambiguous, nil, "several issue types fit a %s: %s", kind, provider.Quoted(fits, name)).
		Hint("make it with `pmsync ticket create --remote --type NAME`")
}

func typeNamed(types []issueType, name string) int {
	return slices.IndexFunc(types, func(t issueType) bool { return strings.EqualFold(t.Name, name) })
}
