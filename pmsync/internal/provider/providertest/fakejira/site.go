package fakejira

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

type (
	project struct {
		id, key, name string
		next          int
	}
	status struct{ id, name, category string }
	kind   struct {
		id, name string
		level    int
	}
	user struct{ id, name, email string }
	link struct {
		id       int
		from, to *issue
		kind     int // place in linkTypes
	}
	// file is an attachment; a page where it has no size.
	file struct {
		id      int
		name    string
		address string
		size    int64
	}
	comment struct {
		id               int
		body             any
		author           *user
		created, updated time.Time
		properties       []any
	}
	version struct {
		id, name, description string
		released, archived    bool
	}
	issue struct {
		id          int
		key         string
		former      []string
		project     *project
		kind        kind
		summary     string
		description any
		status      status
		priority    int // place in priorities, -1 none
		assignee    *user
		creator     *user
		labels      []string
		parent      *issue
		links       []*link
		versions    []*version
		sprints     []int
		points      *float64
		severity    string // id of an option
		files       []file
		due         string
		created     time.Time
		updated     time.Time
		comments    []*comment
		properties  map[string]any
		writes      map[string]int
		shown       *issue // what the search still shows
	}
)

var (
	statuses = []status{{"10000", "To Do", "new"}, {"3", "In Progress", "indeterminate"}, {"10001", "In Review", "indeterminate"},
		{"10002", "Done", "done"}, {"10003", "Won't Do", "done"}}
	categories = map[string][2]any{"new": {2, "To Do"}, "indeterminate": {4, "In Progress"}, "done": {3, "Done"}}
	// A step's name says nothing about where it leads.
	steps      = map[string]string{"10000": "Back to the start", "3": "Start progress", "10001": "Done with coding", "10002": "Resolve", "10003": "Reject"}
	kinds      = []kind{{"10100", "Epic", 1}, {"10101", "Story", 0}, {"10102", "Task", 0}, {"10103", "Bug", 0}, {"10104", "Sub-task", -1}, {"10105", Incident, 0}}
	priorities = []string{"Highest", "High", "Medium", "Low", "Lowest"}
)

const (
	sprintField = "customfield_10020"
	pointsField = "customfield_10016"
	// SeverityField is a custom field of the site, "Severity", which an issue of the type
	// Incident must have.
	SeverityField = "customfield_10050"
	Incident      = "Incident"
	// The user who calls.
	selfID = "5b10ac8d82e05b22cc7d4ef0"
)

// linkTypes are the types of links: id, name, and the words of both sides.
var linkTypes = [][4]string{{"10000", "Blocks", "is blocked by", "blocks"}, {"10001", "Duplicate", "is duplicated by", "duplicates"}, {"10002", "Relates", "relates to", "relates to"}}

func linkTypeJSON(n int) any {
	t := linkTypes[n]
	return map[string]any{"id": t[0], "name": t[1], "inward": t[2], "outward": t[3], "self": "https://example.atlassian.net/rest/api/3/issueLinkType/" + t[0]}
}

// severities are the options of the field Severity, by their ids.
var severities = map[string]string{"20001": "Minor", "20002": "Major", "20003": "Critical"}

func severityJSON(id string) any {
	if id == "" {
		return nil
	}
	return map[string]any{"self": "https://example.atlassian.net/rest/api/3/customFieldOption/" + id, "id": id, "value": severities[id]}
}

func severityMeta(required bool) map[string]any {
	list := providertest.Shown([]string{"20001", "20002", "20003"}, severityJSON)
	return map[string]any{"required": required, "name": "Severity", "key": SeverityField, "hasDefaultValue": false, "operations": []string{"set"},
		"schema": map[string]any{"type": "option", "custom": "com.atlassian.jira.plugin.system.customfieldtypes:select", "customId": 10050}, "allowedValues": list}
}

type site struct {
	now      func() time.Time
	o        Options
	projects []*project
	users    []*user
	versions []*version
	issues   []*issue // sorted by updated and id when clean
	byID     map[int]*issue
	byKey    map[string]*issue
	dirty    bool
	serial   int
	zone     *time.Location
}

func newSite(now func() time.Time, o Options) *site {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		zone = time.FixedZone("CET", 3600)
	}
	return &site{now: now, o: o, byID: map[int]*issue{}, byKey: map[string]*issue{}, serial: 10000, zone: zone,
		projects: []*project{{id: "10000", key: Key, name: "Project"}, {id: "10001", key: "OPS", name: "Operations"}},
		users: []*user{{selfID, "Ann Archer", Email}, {"5b10ac8d82e05b22cc7d4ef1", "Bob Baker", "bob@example.com"},
			{"712020:6b5a-cäcilie", "Cäcilie Öz", ""}}}
}

func (w *site) sorted() []*issue {
	if w.dirty {
		slices.SortFunc(w.issues, func(a, b *issue) int { return cmp.Or(a.updated.Compare(b.updated), a.id-b.id) })
		w.dirty = false
	}
	return w.issues
}

// touch stamps a change. The search shows the state before it for a while.
func (w *site) touch(i *issue) {
	now := w.now()
	if w.o.Lag > 0 && !i.updated.IsZero() && !i.updated.Add(w.lag(i)).After(now) {
		before := *i
		before.labels = slices.Clone(i.labels)
		before.shown = nil
		i.shown = &before
	}
	i.updated = now
	w.dirty = true
}

// lag is how late a change is shown: some are shown before older ones.
func (w *site) lag(i *issue) time.Duration {
	return w.o.Lag * time.Duration((i.updated.UnixMilli()/7+int64(i.id)*31)%10+1) / 10
}

// visible is what the search shows of an issue, nil when that is nothing yet.
func (w *site) visible(i *issue) *issue {
	if w.o.Lag > 0 && i.updated.Add(w.lag(i)).After(w.now()) {
		return i.shown
	}
	return i
}

func (w *site) find(idOrKey string) *issue {
	if n, err := strconv.Atoi(idOrKey); err == nil {
		return w.byID[n]
	}
	return w.byKey[strings.ToUpper(idOrKey)]
}

func (w *site) add(p *project, k kind, summary string) *issue {
	p.next++
	w.serial++
	i := &issue{id: w.serial, key: fmt.Sprintf("%s-%d", p.key, p.next), project: p, kind: k, summary: summary, status: statuses[0], priority: 2,
		creator: w.users[1], properties: map[string]any{}, writes: map[string]int{}}
	w.issues = append(w.issues, i)
	w.byID[i.id], w.byKey[i.key] = i, i
	w.touch(i)
	i.created = i.updated
	return i
}

func (w *site) user(id string) *user {
	return providertest.First(w.users, func(u *user) bool { return u.id == id })
}

// at writes a time as Jira does: in the account's zone, without a colon.
func (w *site) at(t time.Time) string { return t.In(w.zone).Format("2006-01-02T15:04:05.000-0700") }

func (u *user) json() any {
	if u == nil {
		return nil
	}
	out := map[string]any{"self": "https://example.atlassian.net/rest/api/3/user?accountId=" + u.id[:4], "accountId": u.id, "accountType": "atlassian", "displayName": u.name,
		"active": true, "timeZone": "Europe/Berlin"}
	if u.email != "" {
		out["emailAddress"] = u.email
	}
	return out
}

func (s status) json() any {
	c := categories[s.category]
	return map[string]any{"self": "https://example.atlassian.net/rest/api/3/status/" + s.id, "id": s.id, "name": s.name, "description": "",
		"statusCategory": map[string]any{"id": c[0], "key": s.category, "colorName": "blue-gray", "name": c[1]}}
}

func (k kind) json() map[string]any {
	return map[string]any{"self": "https://example.atlassian.net/rest/api/3/issuetype/" + k.id, "id": k.id, "name": k.name, "description": "",
		"subtask": k.level < 0, "hierarchyLevel": k.level}
}

func priorityJSON(n int) any {
	if n < 0 {
		return nil
	}
	return map[string]any{"self": "https://example.atlassian.net/rest/api/3/priority/" + strconv.Itoa(n+1), "id": strconv.Itoa(n + 1), "name": priorities[n]}
}

func (i *issue) ref() map[string]any {
	return map[string]any{"id": strconv.Itoa(i.id), "key": i.key, "self": "https://example.atlassian.net/rest/api/3/issue/" + strconv.Itoa(i.id),
		"fields": map[string]any{"summary": i.summary, "status": i.status.json(), "issuetype": i.kind.json()}}
}

func (w *site) sprint(n int) map[string]any {
	start := time.Date(2026, 10, 5, 8, 0, 0, 0, w.zone).AddDate(0, 0, 14*n)
	out := map[string]any{"id": 30 + n, "name": fmt.Sprintf("PROJ Sprint %d", n+1), "state": []string{"closed", "active", "future"}[n], "boardId": 7, "goal": ""}
	if n < 2 {
		out["startDate"], out["endDate"] = start.Format("2006-01-02T15:04:05.000-07:00"), start.AddDate(0, 0, 14).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return out
}

// issueFields are the fields of an issue.
var issueFields = map[string]func(*site, *issue) any{
	"summary":     func(_ *site, i *issue) any { return i.summary },
	"description": func(_ *site, i *issue) any { return i.description },
	"status":      func(_ *site, i *issue) any { return i.status.json() },
	"priority":    func(_ *site, i *issue) any { return priorityJSON(i.priority) },
	"assignee":    func(_ *site, i *issue) any { return i.assignee.json() },
	"creator":     func(_ *site, i *issue) any { return i.creator.json() },
	"labels":      func(_ *site, i *issue) any { return append([]string{}, i.labels...) },
	"parent":      func(_ *site, i *issue) any { return i.parent.ref() },
	"issuetype":   func(_ *site, i *issue) any { return i.kind.json() },
	"project": func(_ *site, i *issue) any {
		return map[string]any{"id": i.project.id, "key": i.project.key, "name": i.project.name, "projectTypeKey": "software"}
	},
	"created": func(w *site, i *issue) any { return w.at(i.created) },
	"updated": func(w *site, i *issue) any { return w.at(i.updated) },
	"duedate": func(_ *site, i *issue) any { return unless(i.due == "", i.due) },
	"resolution": func(_ *site, i *issue) any {
		return unless(i.status.category != "done", map[string]any{"id": "10000", "name": i.status.name})
	},
	"fixVersions": func(_ *site, i *issue) any {
		return providertest.Shown(i.versions, func(v *version) any { return map[string]any{"id": v.id, "name": v.name} })
	},
	"issuelinks": func(_ *site, i *issue) any {
		return providertest.Shown(i.links, func(l *link) any {
			one := map[string]any{"id": strconv.Itoa(l.id), "type": linkTypeJSON(l.kind)}
			if l.from == i {
				one["outwardIssue"] = l.to.ref()
			} else {
				one["inwardIssue"] = l.from.ref()
			}
			return one
		})
	},
	sprintField: func(w *site, i *issue) any {
		return unless(len(i.sprints) == 0, providertest.Shown(i.sprints, w.sprint))
	},
	pointsField:   func(_ *site, i *issue) any { return i.points },
	SeverityField: func(_ *site, i *issue) any { return severityJSON(i.severity) },
	"attachment": func(w *site, i *issue) any {
		files := providertest.Kept(i.files, func(f file) bool { return f.size > 0 })
		return providertest.Shown(files, func(f file) any {
			return map[string]any{"id": strconv.Itoa(f.id), "self": "https://example.atlassian.net/rest/api/3/attachment/" + strconv.Itoa(f.id), "filename": f.name,
				"author": w.users[1].json(), "created": w.at(i.created), "size": f.size, "mimeType": "text/plain", "content": f.address}
		})
	},
}

// unless returns a value, or null.
func unless(none bool, v any) any {
	if none {
		return nil
	}
	return v
}

// issue is the answer about an issue; without names it is its id alone.
func (w *site) issueJSON(i *issue, names []string, properties []string) map[string]any {
	out := map[string]any{"id": strconv.Itoa(i.id)}
	if names == nil {
		return out
	}
	out["key"], out["self"] = i.key, "https://example.atlassian.net/rest/api/3/issue/"+strconv.Itoa(i.id)
	fields := map[string]any{}
	for _, name := range names {
		if field := issueFields[name]; field != nil && (name != "parent" || i.parent != nil) { // as in Jira: without a parent, there is no such field
			fields[name] = field(w, i)
		}
	}
	out["fields"] = fields
	if len(properties) > 0 {
		found := map[string]any{}
		for _, name := range properties {
			if v, ok := i.properties[name]; ok {
				found[name] = v
			}
		}
		out["properties"] = found
	}
	return out
}

func (c *comment) json(w *site, withProperties bool) map[string]any {
	out := map[string]any{"id": strconv.Itoa(c.id), "self": "https://example.atlassian.net/rest/api/3/comment/" + strconv.Itoa(c.id), "body": c.body, "author": c.author.json(),
		"created": w.at(c.created), "updated": w.at(c.updated)}
	if withProperties {
		out["properties"] = append([]any{}, c.properties...)
	}
	return out
}
