package jira

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// Item reads an issue by its id or key, including former keys, or a version by its id.
func (c *Client) Item(ctx context.Context, id string) (*provider.Item, error) {
	if number, ok := strings.CutPrefix(id, versionPrefix); ok {
		var raw json.RawMessage
		if err := c.get(ctx, "read version "+number, "api/3/version/"+url.PathEscape(number), nil, &raw); err != nil {
			return nil, err
		}
		var v version
		if err := json.Unmarshal(raw, &v); err != nil || v.ID == "" {
			return nil, provider.Fail(provider.Protocol, nil, "Jira sent a version in another shape than its API describes")
		}
		return new(c.milestone(v, raw, c.http.ServerNow().UTC().Truncate(time.Second))), nil
	}
	s, err := c.know(ctx)
	if err != nil {
		return nil, err
	}
	var raw json.RawMessage
	err = c.get(ctx, "read issue "+id, "api/3/issue/"+url.PathEscape(id), url.Values{"fields": {strings.Join(s.issueFields(), ",")}}, &raw)
	if err != nil {
		return nil, err
	}
	item, err := c.item(ctx, raw)
	if err != nil {
		return nil, err
	}
	if _, numeric := strconv.Atoi(id); numeric != nil && !strings.EqualFold(id, item.Key) {
		item.FormerKeys = []string{strings.ToUpper(id)} // Jira silently resolves a former key
	}
	return item, nil
}

func onlyIssues(item *provider.Item) error {
	if item.Type == provider.TypeMilestone {
		return provider.Fail(provider.Unsupported, nil, "%s is a version of Jira, of which only issues can be changed from here", item.Title)
	}
	return nil
}

// transition is a transition of Jira's workflow.
type transition struct {
	ID, Name string
	To       status
	Fields   map[string]struct {
		Name            string
		Required        bool
		HasDefaultValue bool
	}
}

func (t transition) requires() (names []string) {
	for _, f := range t.Fields {
		if f.Required && !f.HasDefaultValue {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (c *Client) transitions(ctx context.Context, id, key string) ([]transition, error) {
	var answer struct{ Transitions []transition }
	err := c.get(ctx, "read what "+key+" can become", "api/3/issue/"+url.PathEscape(id)+"/transitions", url.Values{"expand": {"transitions.fields"}}, &answer)
	return answer.Transitions, err
}

// Transitions returns the transitions that the workflow offers the account now.
func (c *Client) Transitions(ctx context.Context, current *provider.Item) ([]provider.Transition, error) {
	if err := onlyIssues(current); err != nil {
		return nil, err
	}
	steps, err := c.transitions(ctx, current.RemoteID, current.Key)
	out := []provider.Transition{}
	for _, s := range steps {
		if s.To.ID != current.Status.ID {
			out = append(out, provider.Transition{ID: s.ID, Name: s.Name, To: c.status(s.To, ""), Requires: s.requires()})
		}
	}
	return out, err
}

// Attachments returns the issue's linked pages, which do not come with the issue.
func (c *Client) Attachments(ctx context.Context, current *provider.Item) (files []provider.File, err error) {
	if err := onlyIssues(current); err != nil {
		return nil, nil // a version has none
	}
	var links []struct {
		Object struct{ URL, Title string }
	}
	err = c.get(ctx, "read the web links of "+current.Key, "api/3/issue/"+url.PathEscape(current.RemoteID)+"/remotelink", nil, &links)
	for _, l := range links {
		files = append(files, provider.File{Web: true, Name: l.Object.Title, URL: l.Object.URL})
	}
	return files, err
}
