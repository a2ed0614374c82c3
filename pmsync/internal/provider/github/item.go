package github

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

type user struct {
	Login string `json:"login"`
}

func (u *user) convert() *provider.User {
	if u == nil || u.Login == "" {
		return nil
	}
	return &provider.User{ID: u.Login, Name: u.Login, Active: true}
}

type milestone struct {
	Number int        `json:"number"`
	Title  string     `json:"title"`
	State  string     `json:"state"`
	Due    *time.Time `json:"due_on"`
	About  string     `json:"description"`
}

// issue is an issue of GitHub. Fields that older servers lack are nil or empty.
type issue struct {
	ID           int64                  `json:"id"`
	Number       int                    `json:"number"`
	NodeID       string                 `json:"node_id"`
	Title        string                 `json:"title"`
	Body         string                 `json:"body"`
	State        string                 `json:"state"`
	Reason       string                 `json:"state_reason"`
	Labels       []label                `json:"labels"`
	Assignees    []user                 `json:"assignees"`
	Milestone    *milestone             `json:"milestone"`
	Type         *struct{ Name string } `json:"type"`
	Pull         json.RawMessage        `json:"pull_request"`
	CreatedAt    time.Time              `json:"created_at"`
	UpdatedAt    time.Time              `json:"updated_at"`
	HTML         string                 `json:"html_url"`
	Repository   string                 `json:"repository_url"`
	ParentURL    string                 `json:"parent_issue_url"`
	SubIssues    json.RawMessage        `json:"sub_issues_summary"`
	Dependencies *struct {
		BlockedBy      int `json:"blocked_by"`
		Blocking       int `json:"blocking"`
		TotalBlockedBy int `json:"total_blocked_by"`
		TotalBlocking  int `json:"total_blocking"`
	} `json:"issue_dependencies_summary"`

	raw json.RawMessage // as it was sent, with the fields above and all others
}

// text is the body with the line ends of other texts.
func (i *issue) text() string { return strings.ReplaceAll(i.Body, "\r\n", "\n") }

// parse decodes an issue and refuses one without its essential fields.
func parse(raw json.RawMessage) (*issue, error) {
	i := issue{raw: raw}
	if err := json.Unmarshal(raw, &i); err != nil {
		return nil, provider.Fail(provider.Protocol, nil, "an issue of GitHub has another shape than its API describes")
	}
	if i.Number <= 0 || i.ID <= 0 || i.UpdatedAt.IsZero() || i.State == "" {
		return nil, provider.Fail(provider.Protocol, nil, "an issue of GitHub lacks its number, id, state or time")
	}
	return &i, nil
}

// isPull reports whether it is a pull request, which GitHub lists among the issues.
func (i *issue) isPull() bool { return len(i.Pull) > 0 && string(i.Pull) != "null" }

// version returns a text that differs between two states of an issue: its time does not change with its dependencies and sub-issues.
func (i *issue) version() string {
	parts := fmt.Sprintf("%q %q %s %q %v %v %v %v %s %v", i.Title, i.Body, i.State, i.Reason, i.Labels, i.Assignees, i.Milestone != nil, i.ParentURL, i.SubIssues, i.Dependencies)
	sum := sha256.Sum256([]byte(parts))
	return i.UpdatedAt.UTC().Format(time.RFC3339) + "/" + hex.EncodeToString(sum[:6])
}

// remoteID returns the id of an issue: the repository's id, which survives renaming, and the issue's number.
func remoteID(repo int64, number int) string {
	return strconv.FormatInt(repo, 10) + "#" + strconv.Itoa(number)
}

var numberShape = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:https?://[^/]+/(?:api/v3/)?(?:repos/)?([\w.-]+/[\w.-]+)/issues/|([\w.-]+/[\w.-]+)#|([0-9]+)#|#|gh-)?([0-9]{1,18})(?:#.*)?$`)
})

// ref is an issue as people and rows name it.
type ref struct {
	repo   string // owner/name, "" for the configured one
	id     int64  // id of the repository; 0 when it is not named
	number int
}

// parseRef parses 12, #12, GH-12, owner/name#12, the id in rows, or an address.
func parseRef(text string) (r ref, ok bool) {
	m := numberShape().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return r, false
	}
	r.repo = m[1] + m[2]
	r.id, _ = strconv.ParseInt(m[3], 10, 64)
	n, err := strconv.Atoi(m[4])
	r.number = n
	return r, err == nil && n > 0
}

// reference is an issue that another issue names by its address or repository.
func (c *Client) reference(repo *repository, i *issue, address string) *provider.Ref {
	r, ok := parseRef(address)
	if i != nil {
		r, ok = ref{repo: strings.Join(lastTwo(i.Repository), "/"), number: i.Number}, true
	}
	if !ok {
		return nil
	}
	out := &provider.Ref{ID: remoteID(repo.ID, r.number), Key: key(r.number)}
	if r.repo != "" && !strings.EqualFold(r.repo, c.repo) && !strings.EqualFold(r.repo, repo.FullName) {
		out.ID = strings.ToLower(r.repo) + "#" + strconv.Itoa(r.number)
		out.Key = r.repo + "#" + strconv.Itoa(r.number)
	}
	if i != nil {
		out.Name = i.Title
	}
	return out
}

func lastTwo(address string) []string {
	parts := strings.Split(strings.Trim(address, "/"), "/")
	return parts[max(0, len(parts)-2):]
}

// key returns the form that people type. GitHub links GH-12 like #12, which a shell takes for a comment.
func key(number int) string { return "GH-" + strconv.Itoa(number) }

// convert makes an item from an issue of the configured repository, including its data in the project.
func (c *Client) convert(ctx context.Context, i *issue) (*provider.Item, error) {
	all, err := c.convertAll(ctx, []*issue{i})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// convertAll is convert for several issues.
func (c *Client) convertAll(ctx context.Context, all []*issue) ([]*provider.Item, error) {
	b, err := c.board(ctx, false)
	if err != nil {
		return nil, err
	}
	ids, items := make([]string, len(all)), make([]*provider.Item, len(all))
	for n, i := range all {
		ids[n] = i.NodeID
	}
	var at map[string]*place
	if b != nil {
		if at, err = c.places(ctx, b, ids); err != nil {
			return nil, err
		}
	}
	for n, i := range all {
		if items[n], err = c.convertAt(ctx, i, b, at[i.NodeID]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// convertAt makes an item from an issue and its place in the project, which may be nil.
func (c *Client) convertAt(ctx context.Context, i *issue, b *board, at *place) (*provider.Item, error) {
	repo, err := c.repository(ctx)
	if err != nil {
		return nil, err
	}
	body, _ := provider.Unmark(i.text())
	out := &provider.Item{
		RemoteID: remoteID(repo.ID, i.Number), Key: key(i.Number), FormerKeys: []string{"#" + strconv.Itoa(i.Number), repo.FullName + "#" + strconv.Itoa(i.Number)},
		Type: provider.TypeTicket, Title: i.Title, Body: provider.Text{Format: provider.Markdown, Text: body},
		Status: c.status(i), URL: i.HTML, CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, Presence: provider.Present,
		Version: i.version(), Project: repo.FullName, Raw: i.raw,
	}
	if i.Type != nil {
		out.NativeType = i.Type.Name
	}
	if len(i.Assignees) > 0 {
		out.Assignee = i.Assignees[0].convert()
	}
	for _, l := range i.Labels {
		n, urgent := c.priorityOf(l.Name)
		_, state := c.stateOf(l.Name)
		switch {
		case urgent && (b == nil || b.priority == nil):
			if n > out.Priority {
				out.Priority, out.PriorityLabel = n, l.Name
			}
		case urgent || !state || b != nil && b.status != nil:
			out.Labels = append(out.Labels, l.Name)
		}
	}
	slices.Sort(out.Labels)
	if m := i.Milestone; m != nil {
		out.Sprint = &provider.Ref{ID: sprintID(repo.ID, m.Number), Name: m.Title}
	}
	if i.ParentURL != "" {
		out.Parent = c.reference(repo, nil, i.ParentURL)
		out.Type = provider.TypeSubtask
	}
	if strings.EqualFold(out.NativeType, "Epic") {
		out.Type = provider.TypeEpic
	}
	c.apply(b, at, i, out)
	out.Links, err = c.links(ctx, repo, i)
	return out, err
}

// links returns the dependencies of an issue, which are requested only if it has some. Older servers lack that endpoint.
func (c *Client) links(ctx context.Context, repo *repository, i *issue) (links []provider.Link, err error) {
	d := i.Dependencies
	if d == nil {
		return nil, nil
	}
	for _, side := range []struct {
		n        int
		path     string
		relation provider.Relation
	}{{max(d.BlockedBy, d.TotalBlockedBy), "blocked_by", provider.BlockedBy}, {max(d.Blocking, d.TotalBlocking), "blocking", provider.Blocks}} {
		if side.n == 0 {
			continue
		}
		err := each(ctx, c, "read the dependencies of "+key(i.Number), c.at("issues", strconv.Itoa(i.Number), "dependencies", side.path), nil, func(other issue) error {
			if target := c.reference(repo, &other, ""); target != nil && other.Number > 0 {
				links = append(links, provider.Link{Relation: side.relation, Target: *target, Native: side.path,
					Resolved: side.relation == provider.BlockedBy && other.State == closed})
			}
			return nil
		})
		if err != nil && !provider.Is(err, provider.NotFound) {
			return nil, err
		}
	}
	return links, nil
}

// Item reads an issue by its id, its number, or its address. A transferred issue is returned as moved.
func (c *Client) Item(ctx context.Context, id string) (*provider.Item, error) {
	r, ok := parseRef(id)
	if !ok {
		return nil, provider.Fail(provider.NotFound, nil, "%q is not an issue of GitHub", id)
	}
	repo, err := c.repository(ctx)
	if err != nil {
		return nil, err
	}
	if r.id != 0 && r.id != repo.ID {
		return nil, provider.Fail(provider.NotFound, nil, "issue %d is of another repository than %s", r.number, repo.FullName)
	}
	if r.repo != "" && !strings.EqualFold(r.repo, c.repo) && !strings.EqualFold(r.repo, repo.FullName) {
		return c.outside(ctx, r)
	}
	i, err := c.issue(ctx, r.number)
	if e := provider.Details(err); e.Status >= http.StatusMultipleChoices && e.Status < http.StatusBadRequest && e.Code != "" {
		return c.moved(ctx, repo, r.number, e.Code)
	}
	if err != nil {
		return nil, err
	}
	return c.convert(ctx, i)
}

// issue reads an issue of the repository; a pull request is not found.
func (c *Client) issue(ctx context.Context, number int) (*issue, error) {
	var raw json.RawMessage
	if _, err := c.do(ctx, request{Op: "read issue " + key(number), Path: c.at("issues", strconv.Itoa(number))}, &raw); err != nil {
		return nil, err
	}
	i, err := parse(raw)
	if err == nil && i.isPull() {
		err = provider.Fail(provider.NotFound, nil, "%s is a pull request, and not an issue", key(number))
	}
	if err == nil && i.Number != number {
		err = provider.Fail(provider.Protocol, nil, "GitHub answered the request to read issue %s with another one", key(number))
	}
	return i, err
}

// moved returns a transferred issue: it keeps its id here. Its new place, at the address, is read if the account may read it.
func (c *Client) moved(ctx context.Context, repo *repository, number int, to string) (*provider.Item, error) {
	out := &provider.Item{RemoteID: remoteID(repo.ID, number), Key: key(number), Type: provider.TypeTicket, Title: key(number),
		Status: c.mapping.Meant(stateOpen), Presence: provider.Moved, Version: "moved", Project: "elsewhere", Body: provider.Text{Format: provider.Markdown}}
	u, err := url.Parse(to)
	if err != nil {
		return out, nil
	}
	base, err := url.Parse(c.http.Base())
	path := strings.Trim(strings.TrimPrefix(u.Path, base.Path), "/")
	if err != nil || !strings.Contains(path, "issues/") {
		return out, nil
	}
	var i issue
	if _, err := c.do(ctx, request{Op: "read where " + key(number) + " has moved", Path: path}, &i); err == nil && i.Number > 0 {
		out.Title, out.URL, out.CreatedAt, out.UpdatedAt, out.Status = i.Title, i.HTML, i.CreatedAt, i.UpdatedAt, c.status(&i)
		out.Project = strings.Join(lastTwo(i.Repository), "/")
	}
	return out, nil
}

// outside reads an issue of another repository.
func (c *Client) outside(ctx context.Context, r ref) (*provider.Item, error) {
	var i issue
	name := r.repo + "#" + strconv.Itoa(r.number)
	if _, err := c.do(ctx, request{Op: "read issue " + name, Path: "repos/" + r.repo + "/issues/" + strconv.Itoa(r.number)}, &i); err != nil {
		return nil, err
	}
	return &provider.Item{RemoteID: strings.ToLower(name), Key: name, Type: provider.TypeTicket, Title: i.Title, Status: c.status(&i), URL: i.HTML,
		CreatedAt: i.CreatedAt, UpdatedAt: i.UpdatedAt, Presence: provider.Moved, Version: i.version(), Project: r.repo, Body: provider.Text{Format: provider.Markdown}}, nil
}
