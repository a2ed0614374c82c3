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
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// mark is the entity property that tells what pmsync made from what others did, so
// that an attempt whose answer was lost is found again.
const mark = "pmsync"

type marked struct {
	Key   string      `json:"key"`
	Value markedValue `json:"value"`
}

type markedValue struct {
	Key string `json:"key"`
}

func marks(key string) []marked { return []marked{{mark, markedValue{provider.UUID(key)}}} }

// hash shortens a text to what tells it from others.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// Item reads an issue by its id or its key, former keys included; or a version by
// its id.
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
		item := c.milestone(v, raw, c.http.ServerNow().UTC().Truncate(time.Second))
		return &item, nil
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
		item.FormerKeys = []string{strings.ToUpper(id)} // Jira answers for it without a word
	}
	return item, nil
}

func onlyIssues(item *provider.Item) error {
	if item.Type == provider.TypeMilestone {
		return provider.Fail(provider.Unsupported, nil, "%s is a version of Jira, of which only issues can be changed from here", item.Title)
	}
	return nil
}

// transition is a step that Jira offers.
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

// Transitions are the steps that the issue's workflow offers the account now.
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

// Update changes what change names: fields, then the assignee, then the status,
// because a step of the workflow may change who has the issue. Jira compares no
// versions, so that the caller reads the issue just before. The issue is read
// again at the end: search would show it late.
func (c *Client) Update(ctx context.Context, current *provider.Item, change provider.Change) (*provider.Item, error) {
	if err := onlyIssues(current); err != nil {
		return nil, err
	}
	var applied []provider.Field
	for _, step := range []func() ([]provider.Field, error){
		func() ([]provider.Field, error) { return c.edit(ctx, current, change) },
		func() ([]provider.Field, error) { return c.assign(ctx, current, change.Assignee) },
		func() ([]provider.Field, error) { return c.transit(ctx, current, change.Status) },
	} {
		done, err := step()
		if err != nil {
			return nil, partly(err, applied)
		}
		applied = append(applied, done...)
	}
	item, err := c.Item(ctx, current.RemoteID)
	return item, partly(err, applied)
}

// partly adds to an error what was done before it.
func partly(err error, applied []provider.Field) error {
	if e, ok := err.(*provider.Error); ok && len(applied) > 0 {
		more := *e
		more.Applied = applied
		return &more
	}
	return err
}

// edit changes priority and labels. Labels are added and removed one by one.
func (c *Client) edit(ctx context.Context, current *provider.Item, change provider.Change) (applied []provider.Field, err error) {
	fields, update := map[string]any{}, map[string]any{}
	if p := change.Priority; p != nil && *p != current.Priority {
		if fields["priority"], err = c.nativePriority(ctx, current, *p); err != nil {
			return nil, err
		}
		applied = append(applied, provider.FieldPriority)
	}
	var labels []map[string]string
	for _, name := range change.AddLabels {
		if strings.ContainsAny(name, " \t\n") {
			return nil, provider.Fail(provider.Invalid, nil, "the label %q has a space in it, which Jira does not allow", name)
		}
		if !slices.Contains(current.Labels, name) {
			labels = append(labels, map[string]string{"add": name})
		}
	}
	for _, name := range change.RemoveLabels {
		if slices.Contains(current.Labels, name) {
			labels = append(labels, map[string]string{"remove": name})
		}
	}
	if len(labels) > 0 {
		update["labels"] = labels
		applied = append(applied, provider.FieldLabels)
	}
	body := map[string]any{}
	if len(fields) > 0 {
		body["fields"] = fields
	}
	if len(update) > 0 {
		body["update"] = update
	}
	if len(body) == 0 {
		return nil, nil
	}
	return applied, c.do(ctx, call{op: "change issue " + current.Key, method: http.MethodPut, path: "api/3/issue/" + url.PathEscape(current.RemoteID),
		body: body, safe: true, bucket: "write " + current.RemoteID})
}

// nativePriority chooses among the priorities that the issue may have: the highest
// of those that mean the same.
func (c *Client) nativePriority(ctx context.Context, current *provider.Item, wanted int) (any, error) {
	if wanted < 0 || wanted > 4 {
		return nil, provider.Fail(provider.Invalid, nil, "priority %d is not between 0 and 4", wanted)
	}
	if wanted == 0 {
		return nil, nil // asked for: no priority
	}
	var meta struct {
		Fields map[string]struct{ AllowedValues []named }
	}
	if err := c.get(ctx, "read the priorities of "+current.Key, "api/3/issue/"+url.PathEscape(current.RemoteID)+"/editmeta", nil, &meta); err != nil {
		return nil, err
	}
	return c.pick(ctx, meta.Fields["priority"].AllowedValues, wanted)
}

func (c *Client) pick(ctx context.Context, list []named, wanted int) (any, error) {
	var names []string
	for _, p := range list {
		n, err := c.priority(ctx, &p)
		if err != nil {
			return nil, err
		}
		if n == wanted {
			return map[string]string{"id": p.ID}, nil
		}
		names = append(names, fmt.Sprintf("%q", p.Name))
	}
	if len(names) == 0 {
		return nil, provider.Fail(provider.Forbidden, nil, "Jira offers no priority to choose for this issue")
	}
	return nil, provider.Fail(provider.Ambiguous, nil, "none of Jira's priorities %s stands for %d", strings.Join(names, ", "), wanted).
		Hint("say under `provider.priority_of` which does")
}

// assign gives the issue to a person, or to nobody.
func (c *Client) assign(ctx context.Context, current *provider.Item, to *string) ([]provider.Field, error) {
	if to == nil || current.Assignee != nil && current.Assignee.ID == *to || current.Assignee == nil && *to == "" {
		return nil, nil
	}
	body := map[string]any{"accountId": nil} // asked for: nobody
	if *to != "" {
		body["accountId"] = *to
	}
	return []provider.Field{provider.FieldAssignee}, c.do(ctx, call{op: "assign issue " + current.Key, method: http.MethodPut,
		path: "api/3/issue/" + url.PathEscape(current.RemoteID) + "/assignee", body: body, safe: true, bucket: "write " + current.RemoteID})
}

// transit takes the issue to another state by the step that leads there. Steps are
// told by where they lead, not by their names.
func (c *Client) transit(ctx context.Context, current *provider.Item, t *provider.Target) ([]provider.Field, error) {
	if t == nil {
		return nil, nil
	}
	steps, err := c.transitions(ctx, current.RemoteID, current.Key)
	if err != nil {
		return nil, err
	}
	var options []provider.Status
	for _, s := range steps {
		options = append(options, c.status(s.To, ""))
	}
	to, err := c.mapping.Choose(provider.Jira, *t, current.Status, options)
	if err != nil {
		if len(steps) == 0 {
			return nil, provider.Fail(provider.Forbidden, nil, "Jira offers this account no step for %s from %q", current.Key, current.Status.Name)
		}
		return nil, err
	}
	if to.ID == current.Status.ID {
		return nil, nil
	}
	var step *transition
	for i, s := range steps {
		if s.To.ID == to.ID && (step == nil || len(s.requires()) < len(step.requires())) {
			step = &steps[i]
		}
	}
	if missing := step.requires(); len(missing) > 0 {
		return nil, provider.Fail(provider.Invalid, nil, "Jira asks for %s on the way of %s to %q", strings.Join(missing, ", "), current.Key, to.Name).
			Hint("take this step in Jira")
	}
	err = c.do(ctx, call{op: "move issue " + current.Key + " to " + to.Name, method: http.MethodPost,
		path: "api/3/issue/" + url.PathEscape(current.RemoteID) + "/transitions",
		body: map[string]any{"transition": map[string]string{"id": step.ID}}, bucket: "write " + current.RemoteID})
	if provider.Is(err, provider.Uncertain) {
		if item, lookErr := c.Item(ctx, current.RemoteID); lookErr == nil && item.Status.ID == to.ID {
			err = nil
		}
	}
	return []provider.Field{provider.FieldStatus}, err
}

type comment struct {
	ID               string
	Body             json.RawMessage
	Author           *account
	Created, Updated stamp
	Properties       []struct {
		Key   string
		Value json.RawMessage
	}
}

func (m comment) convert() provider.Comment {
	return provider.Comment{ID: m.ID, Author: m.Author.convert(), Body: textOf(m.Body), CreatedAt: m.Created.Time, UpdatedAt: m.Updated.Time}
}

func (m comment) bears(key string) bool {
	for _, p := range m.Properties {
		var v markedValue
		if p.Key == mark && json.Unmarshal(p.Value, &v) == nil && v.Key == provider.UUID(key) {
			return true
		}
	}
	return false
}

// AddComment adds the comment with a mark. Jira has no ids that callers choose: an
// attempt whose outcome is not known is looked for by its mark before another.
func (c *Client) AddComment(ctx context.Context, current *provider.Item, n provider.NewComment) (provider.Comment, error) {
	if err := onlyIssues(current); err != nil {
		return provider.Comment{}, err
	}
	if !n.Attempted.IsZero() {
		if found, ok, err := c.findComment(ctx, current, n); err != nil || ok {
			return found, err
		}
	}
	var made comment
	err := c.do(ctx, call{op: "comment on " + current.Key, method: http.MethodPost, path: "api/3/issue/" + url.PathEscape(current.RemoteID) + "/comment",
		body: map[string]any{"body": Document(n.Text), "properties": marks(n.Key)}, bucket: "write " + current.RemoteID, into: &made})
	if provider.Is(err, provider.Uncertain) || provider.Is(err, provider.Protocol) {
		if found, ok, lookErr := c.findComment(ctx, current, n); lookErr == nil && ok {
			return found, nil
		}
	}
	return made.convert(), err
}

// findComment looks for the comment's mark among the newest comments. The list has
// no marks in it; they are asked for by the ids.
func (c *Client) findComment(ctx context.Context, current *provider.Item, n provider.NewComment) (provider.Comment, bool, error) {
	const newest = 100
	var page struct{ Comments []comment }
	err := c.get(ctx, "look for a comment", "api/3/issue/"+url.PathEscape(current.RemoteID)+"/comment",
		url.Values{"orderBy": {"-created"}, "maxResults": {strconv.Itoa(newest)}}, &page)
	if err != nil || len(page.Comments) == 0 {
		return provider.Comment{}, false, err
	}
	var ids []int64
	for _, m := range page.Comments {
		if id, err := strconv.ParseInt(m.ID, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	var list struct{ Values []comment }
	err = c.do(ctx, call{op: "look for a comment", method: http.MethodPost, path: "api/3/comment/list", query: url.Values{"expand": {"properties"}},
		body: map[string]any{"ids": ids}, safe: true, into: &list})
	for _, m := range list.Values {
		if m.bears(n.Key) {
			return m.convert(), true, err
		}
	}
	return provider.Comment{}, false, err
}

// Comments are the comments of an issue, oldest first.
func (c *Client) Comments(ctx context.Context, current *provider.Item, yield func(provider.Comment) error) error {
	if err := onlyIssues(current); err != nil {
		return err
	}
	return pages(ctx, c, "read the comments of "+current.Key, "api/3/issue/"+url.PathEscape(current.RemoteID)+"/comment",
		url.Values{"orderBy": {"created"}, "maxResults": {"100"}}, "comments", func(m comment) error { return yield(m.convert()) })
}

// indexed is how long Jira's search may take to show a new issue.
const indexed = 2 * time.Minute

// Create makes an issue with a mark. An attempt whose outcome is not known is
// looked for by its mark before another: by search, which shows new issues late,
// so that there is no other attempt before that time.
func (c *Client) Create(ctx context.Context, n provider.NewItem) (*provider.Item, error) {
	project, err := c.needProject()
	if err != nil {
		return nil, err
	}
	id := ""
	if !n.Attempted.IsZero() {
		if id, err = c.findCreated(ctx, project, n); err != nil {
			return nil, err
		}
		if ready := n.Attempted.Add(indexed); id == "" && c.http.Now().Before(ready) {
			return nil, later(provider.Fail(provider.Uncertain, nil, "Jira may have made %q and does not show it yet", n.Title), ready)
		}
	}
	if id == "" {
		fields, err := c.newFields(ctx, project, n)
		if err != nil {
			return nil, err
		}
		var made struct{ ID, Key string }
		err = c.do(ctx, call{op: "make an issue", method: http.MethodPost, path: "api/3/issue",
			body: map[string]any{"fields": fields, "properties": marks(n.Key)}, into: &made})
		if e, ok := err.(*provider.Error); ok && (e.Reason == provider.Uncertain || e.Reason == provider.Protocol) {
			e.Reason = provider.Uncertain
			return nil, later(e, c.http.Now().Add(indexed))
		}
		if err != nil {
			return nil, err
		}
		id = made.ID
	}
	item, err := c.Item(ctx, id)
	if err != nil || n.Status == nil {
		return item, err
	}
	return c.Update(ctx, item, provider.Change{Status: n.Status})
}

func later(e *provider.Error, at time.Time) error {
	e.RetryAt = at
	return e
}

func (c *Client) findCreated(ctx context.Context, project string, n provider.NewItem) (string, error) {
	// Clocks differ; a mark does not.
	since := n.Attempted.Add(-time.Hour).UnixMilli()
	jql := fmt.Sprintf("project = %s AND creator = currentUser() AND created >= %d ORDER BY created DESC", quote(project), since)
	tokens := map[string]bool{}
	for token := ""; ; {
		body := map[string]any{"jql": jql, "fields": []string{"project"}, "properties": []string{mark}, "maxResults": pageOf}
		if token != "" {
			body["nextPageToken"] = token
		}
		var answer struct {
			Issues        []issue
			NextPageToken string
		}
		err := c.do(ctx, call{op: "look for an issue", method: http.MethodPost, path: "api/3/search/jql", body: body, safe: true, bucket: "search", into: &answer})
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
		token = answer.NextPageToken
		tokens[token] = true
	}
}

// newFields are the fields of a new issue: what is not given is not sent.
func (c *Client) newFields(ctx context.Context, project string, n provider.NewItem) (map[string]any, error) {
	types, err := c.issueTypes(ctx)
	if err != nil {
		return nil, err
	}
	kind, err := chooseType(types, n)
	if err != nil {
		return nil, err
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
	if n.Sprint != "" {
		s, err := c.know(ctx)
		if err != nil {
			return nil, err
		}
		number, err := strconv.ParseInt(n.Sprint, 10, 64)
		if err != nil || s.Sprint == "" {
			return nil, provider.Fail(provider.Invalid, nil, "%q is not a sprint of Jira", n.Sprint)
		}
		fields[s.Sprint] = number
	}
	if n.Priority != 0 {
		list, err := c.offered(ctx, kind.ID)
		if err != nil {
			return nil, err
		}
		if fields["priority"], err = c.pick(ctx, list, n.Priority); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// chooseType finds the issue type of a new item: the named one, else the only one
// of its kind, else the one named Task, which is what every project begins with.
func chooseType(types []issueType, n provider.NewItem) (issueType, error) {
	kind := n.Type
	if kind == "" {
		kind = provider.TypeTicket
	}
	var fits []issueType
	var names []string
	for _, t := range types {
		if n.NativeType != "" && strings.EqualFold(t.Name, n.NativeType) {
			return t, nil
		}
		if t.kind() == kind {
			fits = append(fits, t)
			names = append(names, fmt.Sprintf("%q", t.Name))
		}
	}
	switch {
	case n.NativeType != "":
		return issueType{}, provider.Fail(provider.Invalid, nil, "the project has no issue type %q", n.NativeType)
	case len(fits) == 0:
		return issueType{}, provider.Fail(provider.Invalid, nil, "the project has no issue type for a %s", kind)
	case len(fits) == 1:
		return fits[0], nil
	}
	for _, t := range fits {
		if strings.EqualFold(t.Name, "Task") {
			return t, nil
		}
	}
	return issueType{}, provider.Fail(provider.Ambiguous, nil, "several issue types fit a %s: %s", kind, strings.Join(names, ", ")).Hint("name one of them")
}
