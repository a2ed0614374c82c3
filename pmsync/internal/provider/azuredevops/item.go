package azuredevops

import (
	"cmp"
	"context"
	"encoding/json"
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

// The fields that are read or written. Their names are equal in every process.
const (
	fieldTitle    = "System.Title"
	fieldBody     = "System.Description"
	fieldSteps    = "Microsoft.VSTS.TCM.ReproSteps" // the description of a bug
	fieldCriteria = "Microsoft.VSTS.Common.AcceptanceCriteria"
	fieldState    = "System.State"
	fieldType     = "System.WorkItemType"
	fieldProject  = "System.TeamProject"
	fieldAssigned = "System.AssignedTo"
	fieldTags     = "System.Tags"
	fieldPriority = "Microsoft.VSTS.Common.Priority"
	fieldCreated  = "System.CreatedDate"
	fieldChanged  = "System.ChangedDate"
	fieldSprint   = "System.IterationPath"
	fieldParent   = "System.Parent"
	fieldDue      = "Microsoft.VSTS.Scheduling.DueDate"
	fieldPoints   = "Microsoft.VSTS.Scheduling.StoryPoints"
	fieldEffort   = "Microsoft.VSTS.Scheduling.Effort"
	fieldSize     = "Microsoft.VSTS.Scheduling.Size"
	fieldHours    = "Microsoft.VSTS.Scheduling.OriginalEstimate"
	fieldDeleted  = "System.IsDeleted"
)

// The supported relations.
const (
	relParent    = "System.LinkTypes.Hierarchy-Reverse"
	relBlocks    = "System.LinkTypes.Dependency-Forward" // successor: the target waits for this item
	relBlockedBy = "System.LinkTypes.Dependency-Reverse"
	relRelated   = "System.LinkTypes.Related"
	relDuplicate = "System.LinkTypes.Duplicate-Forward" // the target is a duplicate of this item
	relOriginal  = "System.LinkTypes.Duplicate-Reverse"
	relHyperlink = "Hyperlink"
	relFile      = "AttachedFile"
)

type workItem struct {
	ID        int                        `json:"id"`
	Rev       int                        `json:"rev"`
	Fields    map[string]json.RawMessage `json:"fields"`
	Relations []relation                 `json:"relations"`
	Formats   map[string]string          `json:"multilineFieldsFormat"` // formats of long texts, by field
	URL       string                     `json:"url"`
}

type relation struct {
	Rel        string         `json:"rel"`
	URL        string         `json:"url"`
	Attributes map[string]any `json:"attributes"`
}

// parse decodes a work item. It refuses data without an id, a revision, a state or a type, so that these are never taken for cleared
// fields.
func parse(raw json.RawMessage) (*workItem, error) {
	w := new(workItem)
	if err := json.Unmarshal(raw, w); err != nil {
		return nil, provider.Fail(provider.Protocol, nil, "Azure DevOps sent a work item in another shape than its API describes")
	}
	if w.ID <= 0 || w.Rev <= 0 || w.text(fieldState) == "" || w.text(fieldType) == "" || w.time(fieldChanged).IsZero() {
		return nil, provider.Fail(provider.Protocol, nil, "Azure DevOps sent a work item that lacks its id, its revision, its type, its state or the time of its last change")
	}
	return w, nil
}

// text returns a field as text; numbers are formatted.
func (w *workItem) text(name string) string {
	raw := w.Fields[name]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

func (w *workItem) time(name string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, w.text(name))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

func (w *workItem) float(names ...string) (float64, string, bool) {
	for _, name := range names {
		if f, err := strconv.ParseFloat(w.text(name), 64); err == nil {
			return f, name, true
		}
	}
	return 0, "", false
}

// identity is a person, known by the sign-in name, which the service expects in assignments. Older answers contain a text: Name
// <name@host>.
func identity(raw json.RawMessage) *provider.User {
	var who struct {
		ID          string `json:"id"`
		DisplayName string `json:"displayName"`
		UniqueName  string `json:"uniqueName"`
		Inactive    bool   `json:"inactive"`
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if json.Unmarshal(raw, &who) != nil {
		var text string
		if json.Unmarshal(raw, &text) != nil || text == "" {
			return nil
		}
		name, rest, _ := strings.Cut(text, "<")
		who.DisplayName, who.UniqueName = strings.TrimSpace(name), strings.TrimSuffix(rest, ">")
	}
	u := provider.User{ID: cmp.Or(who.UniqueName, who.DisplayName), Name: who.DisplayName, Active: !who.Inactive}
	if strings.Contains(who.UniqueName, "@") {
		u.Email = who.UniqueName
	}
	if u.ID == "" {
		return nil
	}
	return &u
}

// tags returns the labels in System.Tags.
func tags(text string) (out []string) {
	for _, tag := range strings.Split(text, ";") {
		if tag = strings.TrimSpace(tag); tag != "" && !has(out, tag) {
			out = append(out, tag)
		}
	}
	return out
}

// has compares without regard to case, as the service does.
func has(list []string, tag string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.EqualFold(s, tag) })
}

func number(n int) string { return strconv.Itoa(n) }

// idAtEnd returns the id at the end of a work item's address.
func idAtEnd(address string) string {
	id := address[strings.LastIndexByte(address, '/')+1:]
	if n, err := strconv.Atoi(id); err != nil || n <= 0 {
		return ""
	}
	return id
}

// item converts the work item to the common form. project is the name of the configured one.
func (c *Client) item(ctx context.Context, raw json.RawMessage) (*provider.Item, error) {
	w, err := parse(raw)
	if err != nil {
		return nil, err
	}
	project := c.project
	if project != "" && !strings.EqualFold(project, w.text(fieldProject)) { // it may be configured by its id
		if project, err = c.projectName(ctx); err != nil {
			return nil, err
		}
	}
	out := provider.Item{
		RemoteID: number(w.ID), Key: number(w.ID), NativeType: w.text(fieldType), Title: w.text(fieldTitle),
		Criteria: w.body(fieldCriteria), Assignee: identity(w.Fields[fieldAssigned]), Labels: tags(w.text(fieldTags)),
		CreatedAt: w.time(fieldCreated), UpdatedAt: w.time(fieldChanged), Presence: provider.Present,
		Version: number(w.Rev), Project: w.text(fieldProject), Raw: raw,
	}
	slices.Sort(out.Labels)
	if out.Body = w.body(fieldBody); !worded(out.Body.Text) {
		if steps := w.body(fieldSteps); worded(steps.Text) {
			out.Body = steps
		}
	}
	if at := w.time(fieldDue); !at.IsZero() {
		out.DueDate = at.Format(time.DateOnly)
	}
	if n, name, ok := w.float(fieldPoints, fieldEffort, fieldSize, fieldHours); ok {
		out.Estimate, out.EstimateUnit = &n, "points"
		if name == fieldHours {
			out.EstimateUnit = "hours"
		}
	}
	out.Priority, out.PriorityLabel = c.priority(w)
	if path := w.text(fieldSprint); strings.Contains(path, `\`) { // otherwise it is the project itself, which means no sprint
		out.Sprint = &provider.Ref{ID: path, Key: path, Name: path[strings.LastIndexByte(path, '\\')+1:]}
	}
	c.relate(w, &out)
	out.URL = c.http.Base() + "/" + c.at(out.Project, "_workitems", "edit", out.RemoteID)
	switch {
	case w.text(fieldDeleted) == "true" || string(w.Fields[fieldDeleted]) == "true":
		out.Presence = provider.Deleted
	case c.project != "" && !strings.EqualFold(project, out.Project):
		out.Presence = provider.Moved
	}
	return &out, c.typed(ctx, &out, w)
}

// typed adds the type and the meaning of the state by the item's type. Unknown types are read again.
func (c *Client) typed(ctx context.Context, out *provider.Item, w *workItem) error {
	t := &types{}
	if c.project != "" && out.Presence != provider.Moved {
		var err error
		if t, err = c.loadTypes(ctx, forReading); err != nil {
			return err
		}
		if _, known := c.status(t, out.NativeType, w.text(fieldState)); !known {
			if t, err = c.reload(ctx, t); err != nil {
				return err
			}
		}
	}
	out.Status, _ = c.status(t, out.NativeType, w.text(fieldState))
	out.Type = t.kind(out.NativeType, out.Parent != nil)
	if it := t.byName[strings.ToLower(out.NativeType)]; it != nil {
		for _, wanted := range c.mapping.Fields {
			if f := it.field(wanted); f != nil {
				out.Fields = append(out.Fields, provider.FieldValue{Name: f.Name, Value: w.shown(f.Reference)})
			}
		}
	}
	return nil
}

// reload reads the types again, once for all callers that found them outdated.
func (c *Client) reload(ctx context.Context, outdated *types) (*types, error) {
	if now := c.types.Load(); now != outdated {
		return now, nil
	}
	if outdated.reloaded {
		return outdated, nil
	}
	t, err := c.loadTypes(ctx, 0)
	if err == nil {
		t.reloaded = true
	}
	return t, err
}

// body returns a long text in the format that the service names: HTML or Markdown. Without a format, a text without tags is Markdown.
func (w *workItem) body(field string) provider.Text {
	text := w.text(field)
	if text == "" {
		return provider.Text{}
	}
	format := w.Formats[field]
	for name, its := range w.Formats { // field names ignore case
		if strings.EqualFold(name, field) {
			format = its
		}
	}
	if strings.EqualFold(format, "markdown") || format == "" && !tag().MatchString(text) && !entity().MatchString(text) {
		return provider.Text{Format: provider.Markdown, Text: text}
	}
	return provider.Text{Format: provider.HTML, Text: text}
}

var (
	tag    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?[A-Za-z][A-Za-z0-9]*(\s[^<>]*)?/?>`) })
	entity = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`&(#\d+|#x[0-9a-fA-F]+|[a-z]{2,8});`) })
)

// worded reports whether a text has visible content: editors leave empty paragraphs behind.
func worded(text string) bool {
	for _, t := range tag().FindAllString(text, -1) {
		if strings.HasPrefix(strings.ToLower(t), "<img") {
			return true
		}
	}
	text = strings.ReplaceAll(tag().ReplaceAllString(text, " "), "&nbsp;", " ")
	return strings.TrimSpace(strings.Trim(text, "\u00a0\u200b \n\r\t")) != ""
}

// file returns the attachment or page of a relation, but not pmsync's own mark.
func (r relation) file() (f provider.File, ok bool) {
	text, _ := r.Attributes["comment"].(string)
	switch r.Rel {
	case relHyperlink:
		f = provider.File{Web: true, Name: text, URL: r.URL}
		return f, !strings.HasPrefix(r.URL, markerURL(""))
	case relFile:
		f = provider.File{Name: text, URL: r.URL}
		if name, named := r.Attributes["name"].(string); named {
			f.Name = name
		}
		if size, sized := r.Attributes["resourceSize"].(float64); sized {
			f.Size = int64(size)
		}
		return f, true
	}
	return f, false
}

// relate adds the parent and the links.
func (c *Client) relate(w *workItem, out *provider.Item) {
	words := map[string]provider.Relation{relBlocks: provider.Blocks, relBlockedBy: provider.BlockedBy,
		relRelated: provider.RelatedTo, relDuplicate: provider.DuplicatedBy, relOriginal: provider.Duplicates}
	if parent := w.text(fieldParent); parent != "" {
		out.Parent = &provider.Ref{ID: parent, Key: parent}
	}
	for _, r := range w.Relations {
		if f, ok := r.file(); ok {
			out.Files = append(out.Files, f)
			continue
		}
		id := idAtEnd(r.URL)
		if id == "" {
			continue
		}
		if r.Rel == relParent {
			out.Parent = &provider.Ref{ID: id, Key: id}
		} else if word, ok := words[r.Rel]; ok {
			out.Links = append(out.Links, provider.Link{Relation: word, Target: provider.Ref{ID: id, Key: id}, Native: r.Rel})
		}
	}
}

// priority inverts the service's scale (1 most urgent … 4); it may be missing.
func (c *Client) priority(w *workItem) (int, string) {
	label := w.text(fieldPriority)
	if label == "" {
		return 0, ""
	}
	if p, ok := c.mapping.PriorityOf(label, label); ok {
		return p, label
	}
	if n, err := strconv.Atoi(label); err == nil && n >= 1 && n <= 4 {
		return 5 - n, label
	}
	return 0, label
}

var keyShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:AB)?#?([0-9]{1,10})$`) })

// Item reads a work item by its id, with or without # or AB#. It finds the item in any project and in the recycle bin.
func (c *Client) Item(ctx context.Context, id string) (*provider.Item, error) {
	m := keyShape().FindStringSubmatch(strings.TrimSpace(id))
	if m == nil {
		return nil, provider.Fail(provider.NotFound, nil, "Azure DevOps has no work item %q: its ids are numbers", id)
	}
	var raw json.RawMessage
	_, err := c.call(ctx, request{Op: "read work item " + m[1], Path: c.at("_apis", "wit", "workitems", m[1]),
		Query: url.Values{"$expand": {"relations"}}}, &raw)
	if provider.Is(err, provider.NotFound) && c.project != "" {
		if gone, binErr := c.inBin(ctx, m[1]); binErr == nil {
			return gone, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return c.item(ctx, raw)
}

// inBin reads an item of the project's recycle bin.
func (c *Client) inBin(ctx context.Context, id string) (*provider.Item, error) {
	var d struct {
		ID                       int
		Type, Name, Project, URL string
		Deleted                  string `json:"deletedDate"`
	}
	_, err := c.call(ctx, request{Op: "read deleted work item " + id, Path: c.at(c.project, "_apis", "wit", "recyclebin", id)}, &d)
	if err != nil {
		return nil, err
	}
	at, _ := time.Parse(time.RFC3339Nano, d.Deleted) // some answers have it in the caller's language
	return &provider.Item{RemoteID: id, Key: id, Type: provider.TypeTicket, NativeType: d.Type, Title: d.Name, UpdatedAt: at,
		Status: provider.Status{Category: provider.Canceled}, Presence: provider.Deleted, Project: d.Project}, nil
}

// batchSize is the most that the service returns at once.
const batchSize = 200

// batch reads work items. A missing or unreadable item has no entry: the service leaves gaps in its answer.
func (c *Client) batch(ctx context.Context, ids []int) (map[int]json.RawMessage, error) {
	body := map[string]any{"ids": ids, "$expand": "relations", "errorPolicy": "omit"}
	var found list[json.RawMessage]
	_, err := c.call(ctx, request{Op: "read work items", Method: http.MethodPost, Path: c.at("_apis", "wit", "workitemsbatch"),
		Body: body, Safe: true}, &found)
	if err != nil {
		return nil, err
	}
	out := make(map[int]json.RawMessage, len(ids))
	for _, raw := range found.Value {
		var w struct{ ID int }
		if json.Unmarshal(raw, &w) == nil && w.ID > 0 {
			out[w.ID] = raw
		}
	}
	return out, nil
}

// Check looks for work items in the whole organization, and for missing ones in the project's recycle bin.
func (c *Client) Check(ctx context.Context, ids []string, yield func(provider.Presence) error) error {
	var bin map[int]bool
	for part := range slices.Chunk(ids, batchSize) {
		var wanted []int
		for _, id := range part {
			if n, err := strconv.Atoi(id); err == nil && n > 0 {
				wanted = append(wanted, n)
			}
		}
		found := map[int]json.RawMessage{}
		if len(wanted) > 0 {
			var err error
			if found, err = c.batch(ctx, wanted); err != nil {
				return err
			}
		}
		if len(found) < len(wanted) && bin == nil {
			var err error
			if bin, err = c.bin(ctx); err != nil {
				return err
			}
		}
		for _, id := range part {
			p := provider.Presence{RemoteID: id, Where: provider.Unknown}
			n, _ := strconv.Atoi(id)
			if raw := found[n]; raw != nil {
				item, err := c.item(ctx, raw)
				if err != nil {
					return err
				}
				p = provider.Presence{RemoteID: id, Where: item.Presence, Key: item.Key, Project: item.Project}
			} else if bin[n] {
				p.Where = provider.Deleted
			}
			if err := yield(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// bin returns the ids in the project's recycle bin.
func (c *Client) bin(ctx context.Context) (map[int]bool, error) {
	var found list[*struct{ ID int }]
	_, err := c.call(ctx, request{Op: "read the recycle bin", Path: c.at(c.project, "_apis", "wit", "recyclebin")}, &found)
	if provider.Is(err, provider.Forbidden) { // a token may read items but not the bin
		return map[int]bool{}, nil
	}
	if err != nil {
		return nil, err
	}
	out := make(map[int]bool, len(found.Value))
	for _, one := range found.Value {
		if one != nil && one.ID > 0 {
			out[one.ID] = true
		}
	}
	return out, nil
}
