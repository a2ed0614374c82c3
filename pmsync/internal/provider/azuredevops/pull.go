package azuredevops

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

const (
	// overlap is how far before the last query's time the next one begins, because a change may become visible late.
	overlap = 2 * time.Minute
	// tooMany is the service's code for a query that finds more than maxRows.
	tooMany = "VS402337"
	// maxRows is the most rows that a query may find. There are no pages.
	maxRows = 20000
	// gonePage is how many ids of deleted items a page contains.
	gonePage = 500
)

// cursor is the position up to which the project was read.
type cursor struct {
	Seen  provider.Window     `json:"seen,omitzero"` // its Mark is the time of the last drained query
	Types []provider.ItemType `json:"types,omitempty"`
	Bin   string              `json:"bin,omitempty"` // fingerprint of the recycle bin
	Pass  *pass               `json:"pass,omitempty"`
}

// pass is one read of the ids changed since a time.
type pass struct {
	Since time.Time `json:"since,omitzero"` // zero: everything
	AsOf  time.Time `json:"asOf,omitzero"`  // the service's time of the first query
	After int       `json:"after,omitempty"`
}

// scope identifies the project and settings of a cursor.
func (c *Client) scope() string {
	return provider.Scope(c.http.Base(), strings.ToLower(c.org), strings.ToLower(c.project), c.mapping)
}

// Pull reads the work items that changed since the last pull in the order of their ids, which never change, so that an interrupted pull
// can continue. Then it reads the recycle bin if that has changed. Queries do not show an item that was moved to another project; Check
// finds it.
//
// When nothing changed it makes two requests.
func (c *Client) Pull(ctx context.Context, p provider.Pull, yield func(provider.Page) error) error {
	if err := c.needProject(); err != nil {
		return err
	}
	run := &pull{c: c, ctx: ctx, want: p, yield: yield}
	run.at = provider.LoadCursor[cursor](p.Cursor, c.scope())
	if !p.CoveredBy(run.at.Types) {
		run.at = cursor{}
	}
	run.at.Types = p.Types
	if run.at.Pass == nil {
		run.at.Pass = &pass{Since: run.at.Seen.Start(overlap)}
	}
	for _, part := range []func() error{run.items, run.deleted} {
		if err := part(); err != nil {
			return err
		}
	}
	if !run.at.Pass.AsOf.IsZero() {
		run.at.Seen.Mark = run.at.Pass.AsOf
	}
	run.at.Seen.Drained(overlap)
	run.at.Pass = nil
	return run.send(provider.Page{Drained: true})
}

// pull is one run of Pull.
type pull struct {
	c     *Client
	ctx   context.Context
	want  provider.Pull
	yield func(provider.Page) error
	at    cursor
	total int
}

// items reads all ids of the open pass and their items. It queries id ranges only when the service finds too many: a range as wide as
// the row limit is never too large.
func (p *pull) items() error {
	for width := 0; ; {
		ids, done, err := p.ids(&width)
		if err != nil {
			return err
		}
		p.total = max(p.total, len(ids))
		for part := range slices.Chunk(ids, batchSize) {
			if err := p.batch(part); err != nil {
				return err
			}
		}
		if done {
			return nil
		}
	}
}

// ids returns the next ids in order, and whether they are all. Width is the width of the last range, 0 for an open end.
func (p *pull) ids(width *int) (ids []int, done bool, err error) {
	for {
		where := p.where()
		if *width > 0 {
			where += fmt.Sprintf(" AND [System.Id] <= %d", p.at.Pass.After+*width)
		}
		ids, asOf, err := p.c.query(p.ctx, where, "ORDER BY [System.Id]", 0)
		switch {
		case err == nil:
			if p.at.Pass.AsOf.IsZero() {
				p.at.Pass.AsOf = asOf
			}
			slices.Sort(ids)
			if *width == 0 {
				return ids, true, nil
			}
			// The range is empty or read; the rest may fit into one answer.
			if len(ids) == 0 {
				p.at.Pass.After += *width
				*width *= 2
				if p.at.Pass.After >= 1<<31-1 {
					return nil, true, nil
				}
				continue
			}
			*width = 0
			return ids, false, nil
		case provider.Details(err).Code != tooMany:
			return nil, false, err
		case *width == 0:
			*width = maxRows
		case *width == 1:
			return nil, false, err
		default:
			*width /= 2
		}
	}
}

// where returns the condition of the open pass. Hidden types are the service's own: code reviews, feedback, test suites.
func (p *pull) where() string {
	where := "[System.TeamProject] = @project AND [System.WorkItemType] NOT IN GROUP 'Microsoft.HiddenCategory'"
	if at := p.at.Pass.Since; !at.IsZero() {
		where += " AND [System.ChangedDate] >= '" + at.UTC().Format("2006-01-02T15:04:05.0000000Z") + "'"
	}
	if p.at.Pass.After > 0 {
		where += fmt.Sprintf(" AND [System.Id] > %d", p.at.Pass.After)
	}
	return where
}

// query returns ids. Without timePrecision in the address the service accepts only dates. AsOf is the service's time of the answer.
func (c *Client) query(ctx context.Context, where, order string, top int) (ids []int, asOf time.Time, err error) {
	q := url.Values{"timePrecision": {"true"}}
	if top > 0 {
		q.Set("$top", number(top))
	}
	var answer struct {
		AsOf  time.Time
		Items []struct{ ID int } `json:"workItems"`
	}
	resp, err := c.call(ctx, request{Op: "ask for work items", Method: http.MethodPost, Path: c.at(c.project, "_apis", "wit", "wiql"), Query: q,
		Body: map[string]string{"query": "SELECT [System.Id] FROM WorkItems WHERE " + where + " " + order}, Safe: true}, &answer)
	if err != nil {
		return nil, asOf, err
	}
	for _, i := range answer.Items {
		if i.ID > 0 {
			ids = append(ids, i.ID)
		}
	}
	if asOf = answer.AsOf.UTC(); answer.AsOf.IsZero() {
		asOf = resp.ServerTime().UTC()
	}
	return ids, asOf, nil
}

// batch reads items and yields them, with the last id as the position to continue from.
func (p *pull) batch(ids []int) error {
	found, err := p.c.batch(p.ctx, ids)
	if err != nil {
		return err
	}
	page := provider.Page{Total: p.total}
	for _, id := range ids {
		raw := found[id]
		if raw == nil {
			page.Failed = append(page.Failed, provider.Failure{RemoteID: number(id), Err: provider.Fail(provider.NotFound, nil,
				"Azure DevOps named work item %d and did not show it: it was deleted meanwhile, or this account may not see it", id)})
			continue
		}
		item, err := p.c.item(p.ctx, raw)
		switch {
		case provider.Is(err, provider.Protocol) && item == nil:
			page.Failed = append(page.Failed, provider.Failure{RemoteID: number(id), Err: err})
		case err != nil:
			return err
		case item.Presence == provider.Moved:
			page.Gone = append(page.Gone, provider.Presence{RemoteID: item.RemoteID, Where: provider.Moved, Key: item.Key, Project: item.Project})
		case p.want.Wants(item.Type) && p.at.Seen.Take(item.RemoteID, item.Version, item.UpdatedAt):
			page.Items = append(page.Items, *item)
		}
	}
	p.at.Pass.After = ids[len(ids)-1]
	return p.send(page)
}

// deleted reports the content of the recycle bin when it has changed: the service tells neither the time nor the order of deletions.
func (p *pull) deleted() error {
	bin, err := p.c.bin(p.ctx)
	if err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(bin))
	sum := sha256.New()
	for _, id := range ids {
		fmt.Fprintln(sum, id)
	}
	print := hex.EncodeToString(sum.Sum(nil)[:12])
	if print == p.at.Bin {
		return nil
	}
	for part := range slices.Chunk(ids, gonePage) {
		var page provider.Page
		for _, id := range part {
			page.Gone = append(page.Gone, provider.Presence{RemoteID: number(id), Where: provider.Deleted, Key: number(id)})
		}
		if err := p.send(page); err != nil {
			return err
		}
	}
	p.at.Bin = print
	return nil
}

func (p *pull) send(page provider.Page) error { return page.Send(p.at, p.c.scope(), p.yield) }

// Sprints returns the iterations of the team, or of the project's default team. Their dates may be missing.
func (c *Client) Sprints(ctx context.Context, yield func(provider.Sprint) error) error {
	if err := c.needProject(); err != nil {
		return err
	}
	where := c.at(c.project, "_apis", "work", "teamsettings", "iterations")
	if c.team != "" {
		where = c.at(c.project, c.team, "_apis", "work", "teamsettings", "iterations")
	}
	var found list[struct {
		ID, Name, Path string
		Attributes     struct {
			Start  *time.Time `json:"startDate"`
			Finish *time.Time `json:"finishDate"`
			Frame  string     `json:"timeFrame"`
		}
	}]
	if _, err := c.call(ctx, request{Op: "read the iterations", Path: where}, &found); err != nil {
		return err
	}
	frames := map[string]provider.SprintState{"past": provider.SprintCompleted, "current": provider.SprintActive}
	for _, it := range found.Value {
		s := provider.Sprint{ID: cmp.Or(it.Path, it.ID), Name: it.Name, StartsAt: it.Attributes.Start, EndsAt: it.Attributes.Finish,
			State: cmp.Or(frames[strings.ToLower(it.Attributes.Frame)], provider.SprintPlanned)}
		if err := yield(s); err != nil {
			return err
		}
	}
	return nil
}
