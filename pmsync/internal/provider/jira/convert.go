package jira

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

type account struct {
	AccountID, DisplayName, EmailAddress, TimeZone string
	Active                                         *bool
}

func (a *account) convert() *provider.User {
	if a == nil || a.AccountID == "" {
		return nil
	}
	return &provider.User{ID: a.AccountID, Name: a.DisplayName, Email: a.EmailAddress, Active: a.Active == nil || *a.Active}
}

type status struct {
	ID, Name       string
	StatusCategory struct{ Key string }
}

type issueRef struct {
	ID, Key string
	Fields  struct {
		Summary   string
		IssueType issueType
		Status    status
	}
}

func (r *issueRef) ref() *provider.Ref {
	return &provider.Ref{ID: r.ID, Key: r.Key, Name: r.Fields.Summary}
}

type issue struct {
	ID, Key string
	Fields  fields
	// Properties hold the mark of Create.
	Properties map[string]json.RawMessage
}

type fields struct {
	Summary     string
	Description json.RawMessage
	Status      status
	Priority    *named
	Assignee    *account
	Labels      []string
	Parent      *issueRef
	IssueType   issueType
	Project     struct{ ID, Key string }
	Created     stamp
	Updated     stamp
	DueDate     string
	IssueLinks  []struct {
		ID   string
		Type linkType

		InwardIssue, OutwardIssue *issueRef
	}
	Resolution  *named
	FixVersions []named
	Attachment  []struct {
		Filename, Content string
		Size              int64
	}
}

type sprint struct {
	ID                 int64
	Name, State, Goal  string
	StartDate, EndDate stamp
}

func (s sprint) convert() provider.Sprint {
	states := map[string]provider.SprintState{"active": provider.SprintActive, "future": provider.SprintPlanned}
	return provider.Sprint{ID: itoa(s.ID), Name: s.Name, Goal: s.Goal, StartsAt: s.StartDate.pointer(), EndsAt: s.EndDate.pointer(),
		State: cmp.Or(states[strings.ToLower(s.State)], provider.SprintCompleted)}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// status returns the meaning of a state by its category, never by its name: some sites have unfinished states named Done. Jira has no
// category for canceled work; the configuration defines it, by state or by resolution.
func (c *Client) status(s status, resolution string) provider.Status {
	categories := map[string]provider.Category{"new": provider.Todo, "undefined": provider.Todo, "done": provider.Done}
	out := provider.Status{ID: s.ID, Name: s.Name, Native: s.StatusCategory.Key, Category: cmp.Or(categories[s.StatusCategory.Key], provider.InProgress)}
	if configured, ok := c.mapping.CategoryOf(out); ok {
		out.Category = configured
	} else if configured, ok := c.mapping.CategoryOf(provider.Status{Name: resolution}); ok && resolution != "" && out.Category == provider.Done {
		out.Category = configured
	}
	return out
}

// item converts an issue to the common form.
func (c *Client) item(ctx context.Context, raw json.RawMessage) (*provider.Item, error) {
	var i issue
	if err := json.Unmarshal(raw, &i); err != nil {
		if own, ok := errors.AsType[*provider.Error](err); ok {
			return nil, own
		}
		return nil, provider.Fail(provider.Protocol, nil, "Jira sent an issue in another shape than its API describes")
	}
	f := &i.Fields
	if i.ID == "" || i.Key == "" || f.Status.ID == "" || f.Project.ID == "" || f.Updated.IsZero() {
		return nil, provider.Fail(provider.Protocol, nil, "Jira sent an issue that lacks its id, its status or the time of its last change")
	}
	resolution := ""
	if f.Resolution != nil {
		resolution = f.Resolution.Name
	}
	priority, err := c.priority(ctx, f.Priority)
	if err != nil {
		return nil, err
	}
	out := &provider.Item{
		RemoteID: i.ID, Key: i.Key, Type: f.IssueType.kind(), NativeType: f.IssueType.Name,
		Title: f.Summary, Body: textOf(f.Description), Status: c.status(f.Status, resolution), Priority: priority,
		Assignee: f.Assignee.convert(), Labels: slices.Sorted(slices.Values(f.Labels)), DueDate: f.DueDate,
		URL: c.http.Base() + "/browse/" + i.Key, CreatedAt: f.Created.Time, UpdatedAt: f.Updated.Time, Presence: provider.Present,
		Version: f.Updated.Format(time.RFC3339Nano), Project: f.Project.ID, Raw: raw,
	}
	if f.Priority != nil {
		out.PriorityLabel = f.Priority.Name
	}
	if f.Parent != nil && f.Parent.ID != "" {
		out.Parent = f.Parent.ref()
		if f.Parent.Fields.IssueType.HierarchyLevel > 0 {
			out.Epic = f.Parent.ref()
		}
	}
	if len(f.FixVersions) > 0 {
		out.Milestone = &provider.Ref{ID: versionPrefix + f.FixVersions[0].ID, Name: f.FixVersions[0].Name}
	}
	for _, l := range f.IssueLinks {
		if link, ok := c.convertLink(l.ID, l.Type, l.OutwardIssue, l.InwardIssue); ok {
			out.Links = append(out.Links, link)
		}
	}
	for _, a := range f.Attachment {
		out.Files = append(out.Files, provider.File{Name: a.Filename, URL: a.Content, Size: a.Size})
	}
	c.custom(raw, out)
	ours, err := c.ours(ctx, f.Project.ID, f.Project.Key)
	if err == nil && !ours {
		out.Presence = provider.Moved
	}
	return out, err
}

// textOf converts a description or a comment. Jira's API version 3 sends its document format; an app's text may be a plain string.
func textOf(raw json.RawMessage) provider.Text {
	var plain string
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
		return provider.Text{}
	case json.Unmarshal(raw, &plain) == nil:
		return provider.Text{Format: provider.Plain, Text: plain}
	}
	return provider.Text{Format: provider.ADF, Text: string(raw)}
}

// custom reads the site's custom fields. A value of an unexpected type is ignored, because admins may give any field that name.
func (c *Client) custom(raw json.RawMessage, out *provider.Item) {
	s := c.site.Load()
	if s == nil {
		return
	}
	var node struct{ Fields map[string]json.RawMessage }
	if json.Unmarshal(raw, &node) != nil {
		return
	}
	var sprints []sprint
	if s.Sprint != "" && json.Unmarshal(node.Fields[s.Sprint], &sprints) == nil && len(sprints) > 0 {
		// An issue keeps its former sprints. The relevant one is the active one, otherwise the next one, otherwise the last.
		rank := func(sp sprint) int { return map[string]int{"active": 2, "future": 1}[strings.ToLower(sp.State)] }
		best := sprints[0]
		for _, sp := range sprints[1:] {
			if rank(sp) > rank(best) || rank(sp) == rank(best) && rank(sp) == 0 {
				best = sp
			}
		}
		out.Sprint = &provider.Ref{ID: itoa(best.ID), Name: best.Name}
	}
	for _, f := range s.Custom {
		var v any
		_ = json.Unmarshal(node.Fields[f.ID], &v) // then there is no value
		out.Fields = append(out.Fields, provider.FieldValue{Name: f.Name, Value: valueText(v, node.Fields[f.ID])})
	}
	for _, id := range s.Points {
		var points *float64
		if json.Unmarshal(node.Fields[id], &points) == nil && points != nil {
			out.Estimate, out.EstimateUnit = points, "points"
		}
	}
}

// versionPrefix distinguishes version ids from issue ids; both are numbers.
const versionPrefix = "version/"

type version struct {
	ID, Name, Description, ReleaseDate string
	Archived, Released                 bool
	ProjectID                          int64
}

// milestone converts a version to the common form. Versions have no time of change.
func (c *Client) milestone(v version, raw json.RawMessage, now time.Time) provider.Item {
	s := provider.Status{ID: "unreleased", Name: "Unreleased", Category: provider.Todo}
	if v.Released {
		s = provider.Status{ID: "released", Name: "Released", Category: provider.Done}
	}
	out := provider.Item{RemoteID: versionPrefix + v.ID, Key: versionPrefix + v.ID, Type: provider.TypeMilestone, NativeType: "Version",
		Title: v.Name, Body: provider.Text{Format: provider.Plain, Text: v.Description}, Status: s, DueDate: v.ReleaseDate,
		UpdatedAt: now, CreatedAt: now, Presence: provider.Present, Version: v.text(), Project: itoa(v.ProjectID), Raw: raw}
	if v.Archived {
		out.Presence, out.ArchivedAt = provider.Archived, &now
	}
	return out
}

func (v version) text() string {
	return strconv.Quote(v.Name) + strconv.Quote(v.Description) + v.ReleaseDate + strconv.FormatBool(v.Archived) + strconv.FormatBool(v.Released)
}
