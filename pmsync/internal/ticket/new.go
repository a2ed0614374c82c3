package ticket

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// New is a ticket from a tracker, an import or a person. Everything but the title may be empty.
type New struct {
	Provider   string // Local when empty
	RemoteID   string // the tracker's own id; made for a local ticket
	Key        string // the id that people type; made when empty
	FormerKeys []string

	Type         string // TypeTicket when empty
	ProviderType string // Bug, Story, …

	Title    string
	Body     Text
	Criteria Text // the tracker's own field for acceptance criteria

	Status        string // the tracker's own word; the category when empty
	StatusID      string
	Category      string // Todo when empty
	Priority      work.Priority
	PriorityLabel string
	Assignee      string // an id or a name
	AssigneeName  string
	Labels        []string

	Parent, Epic, Milestone, Sprint Ref
	Links                           []Link
	Fields                          []Field // custom fields that the configuration names
	Files                           []File  // attachments and web pages that come with the ticket

	DueDate      string // 2026-11-22
	Estimate     *float64
	EstimateUnit string // points, hours, days
	URL          string

	CreatedAt, UpdatedAt time.Time
	ArchivedAt           *time.Time
	Revision             string
	Raw                  json.RawMessage // what the tracker sent

	// Remote makes the next push create this new ticket at the project's tracker too.
	Remote bool `json:"-"`
	// Chosen reports that someone chose the priority; a default one is not sent.
	Chosen bool `json:"-"`
	// Relate are relations to items that are here, and Given custom fields of the tracker where the ticket is made.
	Relate []Relate `json:"-"`
	Given  []Field  `json:"-"`
	// At is the tracker of the project, for use with Remote.
	At string `json:"-"`

	at   int                         // index in its list, for errors
	stay struct{ place, links bool } // parts left as they are here
}

// Text is a text with its format; "" means markdown.
type Text struct {
	Format string
	Text   string
}

// Ref points at another item of the same tracker. Either ID, Key or Name is enough.
type Ref struct {
	ID, Key, Name string
	Title         string `json:",omitempty"` // of another ticket of the same call that has no key
}

func (r Ref) empty() bool { return r == Ref{} }

// Link is a relation of this ticket to another one, as the tracker reports it: blocks, blocked_by, related_to, duplicates, duplicated_by.
type Link struct {
	Relation string
	Target   Ref
	Resolved bool `json:",omitempty"` // the target is finished, in whatever project
}

// Limits of a tracker's tickets: a longer value is cut, not refused.
const (
	maxTitle = 500
	maxBody  = 1 << 20
	maxRaw   = 256 << 10
	maxShort = 200
)

// line makes one visible line of a tracker's single-line value.
func line(s string, limit int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return r < 0x20 || r == 0x7f || r == '\u2028' || r == '\u2029'
	}), " ")
	return redact.Stored(strings.TrimSpace(text.Cut(strings.TrimSpace(s), limit)))
}

func long(s string, limit int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	return redact.Stored(text.Cut(strings.TrimSpace(s), limit))
}

// clean bounds and redacts a text as its format is read: a document of Jira or of HTML stays one, and its words lose their secrets, however
// they are styled.
func (t Text) clean() string {
	format, limit := description.Format(t.Format), maxBody
	if format == description.ADF {
		limit *= 8 // JSON that is cut cannot be parsed
	}
	if format == description.ADF || format == description.HTML {
		s := strings.ReplaceAll(strings.ToValidUTF8(t.Text, "\uFFFD"), "\x00", "")
		return redact.Document(t.Format, text.Cut(strings.TrimSpace(s), limit))
	}
	return long(t.Text, limit)
}

// clean bounds and redacts a ticket's texts and sets the defaults.
func (n *New) clean() error {
	n.Provider, n.Type, n.Category = cmp.Or(n.Provider, Local), cmp.Or(n.Type, TypeTicket), cmp.Or(n.Category, Todo)
	n.Status = cmp.Or(line(n.Status, maxShort), n.Category)
	switch {
	case !slices.Contains(Types(), n.Type):
		return fault.Validation("item_type", "%q is not a type of ticket", n.Type).WithHint("use %s", strings.Join(Types(), ", "))
	case !slices.Contains(Categories(), n.Category):
		return fault.Validation("status_category", "%q is not a category of statuses", n.Category).WithHint("use %s", strings.Join(Categories(), ", "))
	case !slices.Contains([]string{"", "points", "hours", "days"}, n.EstimateUnit):
		return fault.Validation("estimate_unit", "%q is not a unit of estimates", n.EstimateUnit).WithHint("use points, hours or days")
	}
	if n.Estimate != nil && n.Provider == Local { // a tracker may use its own range
		if err := checkEstimate(*n.Estimate); err != nil {
			return err
		}
	}
	if n.Title = cmp.Or(line(n.Title, maxTitle), n.Key); n.Title == "" {
		return fault.Validation("title", "a ticket has no title").WithHint("give each ticket a title")
	}
	n.Key, n.RemoteID = line(n.Key, maxShort), line(n.RemoteID, maxShort)
	n.Body.Text, n.Criteria.Text = n.Body.clean(), n.Criteria.clean()
	if n.Body.Text == "" || slices.Contains([]string{"", "plain", "text"}, n.Body.Format) {
		n.Body.Format = string(description.Markdown)
	}
	for _, s := range []*string{&n.StatusID, &n.PriorityLabel, &n.Assignee, &n.AssigneeName, &n.ProviderType, &n.Revision} {
		*s = line(*s, maxShort)
	}
	n.URL = line(n.URL, 2000)
	n.Labels, n.Fields, n.Files = cleanLabels(n.Labels), cleanFields(n.Fields), cleanFiles(n.Files)
	if len(n.Raw) > maxRaw {
		n.Raw = nil
	}
	return nil
}

// maxEstimate bounds an estimate, in whatever unit.
const maxEstimate = 1e6

// checkEstimate refuses numbers that JSON cannot hold, infinity and NaN, and those out of bounds.
func checkEstimate(f float64) error {
	if f >= 0 && f <= maxEstimate {
		return nil
	}
	return fault.Validation("estimate", "an estimate of %g makes no sense", f).WithHint("give 0 to %d", int(maxEstimate))
}

// cleanLabels sorts labels and drops duplicates that differ by case alone.
func cleanLabels(given []string) (labels []string) {
	for _, label := range given {
		if label = line(label, maxShort); label != "" && !slices.ContainsFunc(labels, func(l string) bool { return text.Key(l) == text.Key(label) }) {
			labels = append(labels, label)
		}
	}
	slices.SortFunc(labels, func(a, b string) int { return strings.Compare(text.Key(a), text.Key(b)) })
	return labels
}

// shown returns the description as people read it, and the original text when the two differ.
func (n New) shown() (shown string, original registry.Null[string]) {
	if n.Body.Format == string(description.Markdown) {
		return n.Body.Text, original
	}
	doc, err := description.Parse(n.Body.Text, description.Format(n.Body.Format))
	if err != nil {
		return n.Body.Text, original
	}
	return redact.Stored(strings.TrimSpace(doc.Markdown())), registry.NullIfZero(n.Body.Text)
}

// hash identifies the state of a ticket, without the parts that every pull changes.
func (n New) hash() string {
	n.at, n.Raw, n.Revision, n.UpdatedAt = 0, nil, "", time.Time{}
	data, err := json.Marshal(n)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// kind returns the kind of a ticket's item.
func (n New) kind() work.Kind {
	if n.Type == TypeEpic || n.Type == TypeMilestone {
		return work.KindEpic
	}
	return work.KindTicket
}

// optional formats a time for storage, NULL for the zero time.
func optional(t time.Time) registry.Null[string] {
	if t.IsZero() {
		return registry.Null[string]{}
	}
	return registry.Null[string]{V: registry.FormatTime(t), Valid: true}
}
