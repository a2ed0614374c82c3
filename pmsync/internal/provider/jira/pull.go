package jira

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

const (
	// overlap is how far before the newest change a pull begins. Jira's search lags by seconds to minutes, and compares whole minutes.
	overlap = 15 * time.Minute
	pageOf  = 100
)

// cursor is the position up to which the project was read.
type cursor struct {
	Issues   provider.Window     `json:"issues,omitzero"`
	Versions map[string]string   `json:"versions,omitempty"` // delivered versions by id
	Types    []provider.ItemType `json:"types,omitempty"`    // the types that Issues covers; empty means all
	Site     *site               `json:"site,omitempty"`
	Last     string              `json:"last,omitempty"` // the issue with the newest change
	Zone     string              `json:"zone,omitempty"` // the zone for times in queries, used when Jira does not accept numbers
}

// Pull reads versions (milestones), and issues in the order of their last change. Jira's search does not show deleted or moved issues:
// Check finds them.
//
// When nothing changed it makes one request, and one for the versions.
func (c *Client) Pull(ctx context.Context, p provider.Pull, yield func(provider.Page) error) error {
	project, err := c.needProject()
	if err != nil {
		return err
	}
	run := &pull{c: c, project: project, yield: yield, wanted: p}
	run.at = provider.LoadCursor[cursor](p.Cursor, c.scope())
	if s := run.at.Site; s != nil && c.http.Now().Sub(s.Read).Abs() < siteFor {
		c.site.Store(s)
	}
	if run.at.Site, err = c.know(ctx); err != nil {
		return err
	}
	if p.Wants(provider.TypeMilestone) {
		if err := run.versions(ctx); err != nil {
			return err
		}
	}
	if p.Wants(provider.TypeTicket) || p.Wants(provider.TypeSubtask) || p.Wants(provider.TypeEpic) {
		if err := run.issues(ctx); err != nil {
			return err
		}
	}
	return run.send(provider.Page{Drained: true})
}

// scope identifies the project and settings of a cursor.
func (c *Client) scope() string {
	return provider.Scope(c.http.Base(), strings.ToLower(c.project), c.mapping)
}

type pull struct {
	c       *Client
	project string
	yield   func(provider.Page) error
	wanted  provider.Pull
	at      cursor
	fresh   int // issues of the last page that were not read before
}

// versions reads all versions, which have no time of change, and yields the changed ones.
func (p *pull) versions(ctx context.Context) error {
	var page provider.Page
	now := p.c.http.ServerNow().UTC().Truncate(time.Second)
	seen := map[string]string{}
	err := pages(ctx, p.c, "read the versions of "+p.project, "api/3/project/"+url.PathEscape(p.project)+"/version",
		url.Values{"maxResults": {"50"}}, "values", func(raw json.RawMessage) error {
			var v version
			if err := json.Unmarshal(raw, &v); err != nil || v.ID == "" {
				return provider.Fail(provider.Protocol, nil, "Jira sent a version in another shape than its API describes")
			}
			sum := sha256.Sum256([]byte(v.text()))
			seen[v.ID] = hex.EncodeToString(sum[:6])
			if p.at.Versions[v.ID] != seen[v.ID] {
				page.Items = append(page.Items, p.c.milestone(v, raw, now))
			}
			return nil
		})
	if err != nil {
		return err
	}
	for id := range p.at.Versions {
		if _, there := seen[id]; !there {
			page.Gone = append(page.Gone, provider.Presence{RemoteID: versionPrefix + id, Where: provider.Deleted})
		}
	}
	p.at.Versions = seen
	if len(page.Items)+len(page.Gone) == 0 {
		return nil
	}
	return p.send(page)
}

// issues reads the changed issues.
func (p *pull) issues(ctx context.Context) error {
	for _, t := range []provider.ItemType{provider.TypeTicket, provider.TypeSubtask, provider.TypeEpic} {
		had := provider.Pull{Types: p.at.Types}
		if p.wants(t) && !had.Wants(t) {
			p.at.Issues = provider.Window{} // issues of the types that were left out must be read
		}
	}
	p.at.Types = p.wanted.Types
	mark, last := p.at.Issues.Mark, p.at.Last
	start := p.at.Issues.Start(overlap)
	found, err := p.search(ctx, start)
	if err != nil {
		return err
	}
	// The issue that was newest last time must be among the changed ones. If it is missing, either it is gone, or Jira interpreted the
	// time differently and would hide every change.
	if !mark.IsZero() && !found && last != "" {
		if again, err := p.misread(ctx, last, start); err != nil {
			return err
		} else if again {
			if found, err = p.search(ctx, start); err != nil {
				return err
			}
			if !found {
				p.at.Zone = "" // the time was not the cause
			}
		}
	}
	p.at.Issues.Drained(overlap)
	return nil
}

// wants is Wants, with subtasks counted as tickets.
func (p *pull) wants(t provider.ItemType) bool {
	return p.wanted.Wants(t) || t == provider.TypeSubtask && p.wanted.Wants(provider.TypeTicket)
}

// jql returns the search for changes since start. The time is a number of milliseconds: a date would be interpreted in the time zone of
// the account's profile, which has daylight saving time and may be hidden.
func (p *pull) jql(start time.Time) string {
	q := "project = " + quote(p.project)
	if !start.IsZero() {
		q += " AND updated >= " + p.literal(start.Truncate(time.Minute))
	}
	return q + " ORDER BY updated ASC, id ASC"
}

func (p *pull) literal(at time.Time) string {
	if p.at.Zone == "" {
		return fmt.Sprint(at.UnixMilli())
	}
	zone, err := time.LoadLocation(p.at.Zone)
	if err != nil {
		zone = time.UTC
	}
	// In the hour that clocks repeat, a local time means two moments. The query starts an hour earlier to cover both.
	return `"` + at.Add(-time.Hour).In(zone).Format("2006/01/02 15:04") + `"`
}

// quote formats a value for JQL.
func quote(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// misread reports whether an issue missing from a search still exists. Queries then use times in the account's zone.
func (p *pull) misread(ctx context.Context, id string, start time.Time) (bool, error) {
	item, err := p.c.Item(ctx, id)
	if provider.Is(err, provider.NotFound) || err == nil && (item.Presence != provider.Present || item.UpdatedAt.Before(start)) {
		return false, nil
	}
	if err != nil || p.at.Zone != "" {
		return false, err
	}
	var me account
	if err := p.c.get(ctx, "read the account's time zone", "api/3/myself", nil, &me); err != nil {
		return false, err
	}
	if _, err := time.LoadLocation(me.TimeZone); err != nil || me.TimeZone == "" {
		me.TimeZone = "UTC"
	}
	p.at.Zone = me.TimeZone
	p.at.Issues.Open = false // start again from the overlap
	p.at.Issues.Start(overlap)
	return true, nil
}

// search reads all changes since start, and reports whether it found any issue.
//
// It continues from the minute of the last issue and not by Jira's token: an issue that is edited meanwhile moves to the end, and if
// the token is an offset another issue would be skipped. Within a single minute the token is the only way.
func (p *pull) search(ctx context.Context, start time.Time) (found bool, err error) {
	tokens := map[string]bool{}
	var walk provider.Pages
	for token := ""; ; {
		body := map[string]any{"jql": p.jql(start), "fields": p.at.Site.issueFields(), "maxResults": pageOf}
		if token != "" {
			body["nextPageToken"] = token
		}
		var answer struct {
			Issues        []json.RawMessage
			NextPageToken string
			IsLast        *bool
		}
		err := p.c.do(ctx, request{Op: "search issues", Method: http.MethodPost, Path: "api/3/search/jql", Body: body, Safe: true, Bucket: "search"}, &answer)
		if err != nil {
			return found, err
		}
		if answer.Issues == nil {
			return found, provider.Fail(provider.Protocol, nil, "Jira's answer to a search lacks its issues")
		}
		found = found || len(answer.Issues) > 0
		var page provider.Page
		var last time.Time
		p.fresh = 0
		for _, raw := range answer.Issues {
			if last, err = p.take(ctx, raw, &page); err != nil {
				return found, err
			}
		}
		if err := p.send(page); err != nil {
			return found, err
		}
		if answer.NextPageToken == "" || answer.IsLast != nil && *answer.IsLast {
			return found, nil
		}
		if err := walk.More(provider.Jira, "search issues", p.fresh); err != nil {
			return found, err
		}
		if minute := last.Truncate(time.Minute); p.at.Zone == "" && minute.After(start) {
			start, token = minute, ""
			clear(tokens)
			continue
		}
		if tokens[answer.NextPageToken] {
			return found, provider.Fail(provider.Protocol, nil, "Jira's search does not end: it names the same page again")
		}
		token = answer.NextPageToken
		tokens[token] = true
	}
}

// take adds an issue to the page unless it came already, and returns its time of change.
func (p *pull) take(ctx context.Context, raw json.RawMessage, page *provider.Page) (time.Time, error) {
	item, err := p.c.item(ctx, raw)
	if err != nil {
		var head struct{ ID string }
		_ = json.Unmarshal(raw, &head) // then there is no id to report
		if head.ID == "" || ctx.Err() != nil || !provider.Is(err, provider.Protocol) {
			return time.Time{}, err
		}
		page.Failed = append(page.Failed, provider.Failure{RemoteID: head.ID, Err: err})
		p.fresh++
		return time.Time{}, nil
	}
	newest := !item.UpdatedAt.Before(p.at.Issues.Mark)
	if !p.at.Issues.Take(item.RemoteID, "", item.UpdatedAt) {
		return item.UpdatedAt, nil
	}
	p.fresh++
	if newest {
		p.at.Last = item.RemoteID
	}
	if p.wants(item.Type) {
		page.Items = append(page.Items, *item)
	}
	return item.UpdatedAt, nil
}

func (p *pull) send(page provider.Page) error {
	p.c.priorities.Lock() // the site's priorities grow as new ones appear
	cursor, err := provider.SaveCursor(p.at, p.c.scope())
	p.c.priorities.Unlock()
	if err != nil {
		return err
	}
	page.Cursor = cursor
	return p.yield(page)
}

// Check reads the issues by their ids, 100 at a time. Jira answers alike for a deleted issue and for one that the account may not read.
func (c *Client) Check(ctx context.Context, ids []string, yield func(provider.Presence) error) error {
	var versions, issues []string
	for _, id := range ids {
		if strings.HasPrefix(id, versionPrefix) {
			versions = append(versions, id)
		} else {
			issues = append(issues, id)
		}
	}
	for batch := range slices.Chunk(issues, pageOf) {
		var answer struct{ Issues []issue }
		body := map[string]any{"issueIdsOrKeys": batch, "fields": []string{"project"}}
		err := c.do(ctx, request{Op: "look for issues", Method: http.MethodPost, Path: "api/3/issue/bulkfetch", Body: body, Safe: true, Bucket: "bulkfetch"}, &answer)
		if err != nil {
			return err
		}
		found := map[string]issue{}
		for _, i := range answer.Issues {
			found[i.ID] = i
		}
		for _, id := range batch {
			out := provider.Presence{RemoteID: id, Where: provider.Unknown}
			if i, ok := found[id]; ok {
				out.Where, out.Key, out.Project = provider.Present, i.Key, i.Fields.Project.ID
				ours, err := c.ours(ctx, i.Fields.Project.ID, i.Fields.Project.Key)
				if err != nil {
					return err
				}
				if !ours {
					out.Where = provider.Moved
				}
			}
			if err := yield(out); err != nil {
				return err
			}
		}
	}
	for _, id := range versions {
		item, err := c.Item(ctx, id)
		out, err := provider.PresenceOf(id, item, err)
		if err != nil {
			return err
		}
		if err := yield(out); err != nil {
			return err
		}
	}
	return nil
}
