package ticket

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/work"
)

// record is a ticket of a file: its fields by our own names, and its line.
type record struct {
	line     int
	fields   map[string][]string
	has      map[string]bool // the fields that the file has a column or member for
	cells    bool            // of a table: references to other tickets share one cell
	azure    bool            // of Azure DevOps
	dayFirst bool            // its dates put the day before the month
}

// aliases maps the folded names of fields in trackers' exports and other tools to our names.
var aliases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"id": "id", "key": "id", "issuekey": "id", "identifier": "id", "number": "id", "taskid": "id", "ticket": "id",
		"providerid": "provider_id", "remoteid": "provider_id", "issueid": "provider_id", "provider": "provider",
		"title": "title", "summary": "title", "name": "title", "subject": "title",
		"description": "description", "body": "description", "notes": "description", "content": "description",
		"acceptancecriteria": "criteria", "criteria": "criteria", "customfieldacceptancecriteria": "criteria",
		"bodyformat": "body_format", "descriptionformat": "body_format",
		"status": "status", "state": "status", "sectioncolumn": "status",
		"statuscategory": "category", "category": "category",
		"priority": "priority", "prioritylabel": "priority_label",
		"assignee": "assignee", "assignedto": "assignee", "assignees": "assignee", "owner": "assignee", "assigneename": "assignee_name", "assigneeemail": "assignee_email",
		"labels": "labels", "label": "labels", "tags": "labels",
		"itemtype": "type", "issuetype": "type", "workitemtype": "type", "type": "type",
		"parent": "parent", "parentid": "parent", "parentissue": "parent", "parenttask": "parent", "parentkey": "parent_key",
		"epic": "epic", "epicid": "epic", "epiclink": "epic", "customfieldepiclink": "epic", "epicname": "epic_name",
		"milestone": "milestone", "projectmilestone": "milestone", "fixversion": "milestone", "fixversions": "milestone",
		"sprint": "sprint", "sprintname": "sprint", "cyclename": "sprint", "iterationpath": "sprint", "iteration": "sprint", "cyclenumber": "sprint_number",
		"duedate": "due", "due": "due", "dueon": "due", "targetdate": "target", "estimate": "estimate", "storypoints": "estimate", "customfieldstorypoints": "estimate", "customfieldstorypointestimate": "estimate",
		"estimateunit": "estimate_unit", "url": "url", "link": "url", "htmlurl": "url",
		"createdat": "created", "created": "created", "createddate": "created", "updatedat": "updated", "updated": "updated", "changeddate": "updated", "lastmodified": "updated",
		"completedat": "completed", "completed": "completed", "canceled": "canceled", "cancelled": "canceled", "canceledat": "canceled",
		"archived": "archived", "archivedat": "archived", "statereason": "reason", "blocks": "blocks", "blocking": "blocks", "outwardissuelinkblocks": "blocks", "blockingdependencies": "blocks",
		"blockedby": "blocked_by", "dependson": "blocked_by", "inwardissuelinkblocks": "blocked_by", "blockedbydependencies": "blocked_by",
		"relatedto": "related_to", "duplicateof": "related_to", "formerkeys": "former_keys",
	}
})

// parseFile reads tickets as CSV (or tab-separated values) or JSON: NDJSON, an
// array, or a list command's document.
func parseFile(data []byte) (all []record, err error) {
	data = bytes.TrimPrefix(decoded(data), []byte("\ufeff"))
	if len(data) > output.MaxInput {
		return nil, fault.Validation("file", "the file is larger than %d MB", output.MaxInput>>20).WithHint("import it in parts")
	}
	if !utf8.Valid(data) { // a guess at the encoding would change what people wrote
		return nil, fault.Validation("file", "the file is not UTF-8 text; nothing was imported").WithHint("save it as UTF-8, which spreadsheets call CSV UTF-8")
	}
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return nil, fault.Validation("file", "there is nothing to import: the file is empty").WithHint("give tickets as CSV with a heading, or as JSON")
	case trimmed[0] == '{' || trimmed[0] == '[':
		all, err = parseJSON(data)
	default:
		all, err = parseCSV(data)
	}
	if err == nil && len(all) > output.MaxItems {
		return nil, fault.Validation("file", "the file holds more than %d tickets", output.MaxItems).WithHint("import it in parts")
	}
	return all, err
}

// byRank orders members by how likely people call a ticket by them: beside a key or a number, an id is the tracker's internal one.
func byRank(a, b string) int {
	rank := func(name string) int {
		if at := slices.Index([]string{"key", "issuekey", "identifier", "number"}, fold(name)); at >= 0 {
			return at
		}
		return 9
	}
	return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
}

// decoded returns a file as UTF-8; a byte order mark at its start may declare it UTF-16.
func decoded(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		order = binary.BigEndian
	}
	if order == nil || len(data)%2 != 0 || len(data) > 2*output.MaxInput {
		return data
	}
	units := make([]uint16, len(data)/2-1)
	for i := range units {
		units[i] = order.Uint16(data[2+2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

func parseJSON(data []byte) (all []record, err error) {
	entries, err := output.ParseSections(data, "tickets", "items", "issues")
	if f := fault.From(err); f != nil {
		said := *f
		said.Field, said.Message = "file", strings.ReplaceAll(f.Message, "standard input", "the tickets")
		return nil, &said
	}
	for _, e := range entries {
		dec := json.NewDecoder(bytes.NewReader(e.JSON))
		dec.UseNumber()
		var object map[string]any
		if err := dec.Decode(&object); err != nil {
			return nil, fault.Validation("file", "line %d is not a ticket: %v", e.Line, err)
		}
		r := record{line: e.Line, fields: map[string][]string{}, has: map[string]bool{}}
		for _, name := range slices.SortedFunc(maps.Keys(object), byRank) {
			if field, known := aliases()[fold(name)]; known {
				r.has[field] = true
				r.fields[field] = append(r.fields[field], flat(object[name])...)
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// flat turns a JSON value into texts; for an object it takes the member that names it.
func flat(v any) (texts []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case json.Number:
		return []string{v.String()}
	case bool:
		return []string{strconv.FormatBool(v)}
	case []any:
		for _, one := range v {
			texts = append(texts, flat(one)...)
		}
	case map[string]any:
		if v["type"] == "doc" && v["content"] != nil { // ADF is kept as it is
			if data, err := json.Marshal(v); err == nil {
				return []string{string(data)}
			}
		}
		for _, name := range []string{"key", "identifier", "name", "login", "displayName", "title", "value", "id"} {
			if named := flat(v[name]); len(named) == 1 && strings.TrimSpace(named[0]) != "" {
				return named
			}
		}
	}
	return texts
}

func (r record) first(field string) string {
	for _, value := range r.fields[field] {
		if value = strings.TrimSpace(value); value != "" {
			return value
		}
	}
	return ""
}

// Import holds the options of an import.
type Import struct {
	// Categories maps statuses that are not known by themselves to categories.
	Categories map[string]string
}

// ticket makes a ticket of a record; told collects notes about what was left out.
func (r record) ticket(in Import, told *Report) (n New, err error) {
	wrong := func(field, value, hint string, args ...any) error {
		return fault.Validation(field, "line %d: %q is not a %s", r.line, value, strings.ReplaceAll(field, "_", " ")).WithHint(hint, args...)
	}
	n = New{
		Provider: cmp.Or(r.first("provider"), Local), RemoteID: r.first("provider_id"), Key: r.first("id"), Title: r.first("title"), Status: r.first("status"),
		PriorityLabel: r.first("priority_label"), AssigneeName: r.first("assignee_name"), Labels: r.fields["labels"], URL: r.first("url"),
		EstimateUnit: r.first("estimate_unit"), Priority: work.PriorityMedium, FormerKeys: r.fields["former_keys"],
	}
	if n.Title == "" {
		return n, fault.Validation("title", "line %d: the ticket has no title", r.line).WithHint("give each ticket a title")
	}
	for _, long := range []struct {
		field string
		limit int
	}{{"title", maxTitle}, {"description", maxBody}, {"criteria", maxBody}} {
		if size := len(r.first(long.field)); size > long.limit {
			told.note("line %d: the %s is %d bytes long and was cut at %d", r.line, long.field, size, long.limit)
		}
	}
	_, tracker := provider.KindOf(provider.Name(n.Provider))
	if n.Provider == Local { // our own ids are made anew in another registry
		n.RemoteID = ""
	} else if !tracker {
		return n, wrong("provider", n.Provider, "use local, the name of a tracker (`pmsync providers` lists them), or leave it out")
	}
	if n.Provider != Local && n.RemoteID == "" {
		return n, fault.Validation("provider_id", "line %d: a ticket of %s needs its provider_id", r.line, n.Provider).WithHint("leave the provider out to import it as a local ticket")
	}
	if n.Key != "" {
		if _, err := text.Name("id", n.Key); err != nil {
			return n, fmt.Errorf("line %d: %w", r.line, err)
		}
	}
	if n.Category, err = r.category(in, n.Status); err != nil {
		return n, err
	}
	if given := r.first("priority"); given != "" {
		p, ok := priorityOf(given)
		if !ok {
			return n, wrong("priority", given, "use none, low, medium, high, critical (or urgent), or 0 to 4")
		}
		if n.Priority = p; n.PriorityLabel == "" && fold(given) != p.String() && !strings.ContainsAny(given, "01234") {
			n.PriorityLabel = given
		}
	}
	n.Assignee = cmp.Or(r.first("assignee"), r.first("assignee_email"))
	if who, err := mail.ParseAddress(n.Assignee); err == nil && who.Name != "" { // the form in which Azure DevOps writes people
		n.Assignee, n.AssigneeName = who.Address, cmp.Or(n.AssigneeName, who.Name)
	}
	if n.Type = typeWords[fold(r.first("type"))]; n.Type == "" { // the tracker's own
		n.Type, n.ProviderType = TypeTicket, r.first("type")
	}
	n.Body.Text, n.Criteria.Text = r.first("description"), r.first("criteria")
	n.Body.Format = cmp.Or(r.first("body_format"), string(description.Detect(n.Body.Text)))
	n.Epic = Ref{Key: r.first("epic"), Name: r.first("epic_name")}
	n.Milestone, n.Sprint = Ref{Name: r.first("milestone")}, Ref{Name: r.sprintName()}
	return n, r.numbers(&n, told)
}

// category returns the meaning of a record's status. A completed ticket is done, whatever its status is.
func (r record) category(in Import, status string) (string, error) {
	given := r.first("category")
	word := cmp.Or(in.Categories[fold(status)], Category(given), Category(status))
	switch {
	case word == Canceled || r.happened("canceled"), Category(r.first("reason")) == Canceled && word != Todo && word != InProgress:
		return Canceled, nil
	case r.happened("completed"):
		return Done, nil
	case word != "":
		return word, nil
	case given == "" && status == "":
		return Todo, nil
	}
	word = cmp.Or(status, given)
	return "", fault.Validation("status", "line %d: the meaning of status %q is not known", r.line, word).
		WithHint("say it with --status %s=todo (or in_progress, done, canceled)", text.ShellWord(word))
}

// happened reports whether an event occurred, by a field that holds its time or a yes or no.
func (r record) happened(field string) bool {
	switch fold(r.first(field)) {
	case "", "false", "no", "0", "none", "null":
		return false
	}
	return true
}

// sprintName returns the newest of several sprints, or the number of a cycle without a name. An iteration path of Azure DevOps that is the
// project itself is not a sprint.
func (r record) sprintName() string {
	name := ""
	if names := r.fields["sprint"]; len(names) > 0 {
		name = names[len(names)-1]
		if r.azure && !strings.Contains(name, `\`) {
			return ""
		}
	}
	if name = name[strings.LastIndexByte(name, '\\')+1:]; name != "" {
		return name
	}
	if number := r.first("sprint_number"); number != "" {
		return "Cycle " + number
	}
	return ""
}

func (r record) numbers(n *New, told *Report) error {
	if given := r.first("estimate"); given != "" {
		plain := given
		if !strings.Contains(plain, ".") {
			plain = strings.Replace(plain, ",", ".", 1)
		}
		f, err := strconv.ParseFloat(plain, 64)
		if err != nil || checkEstimate(f) != nil {
			return fault.Validation("estimate", "line %d: %q is not an estimate", r.line, given).WithHint("give a number")
		}
		n.Estimate, n.EstimateUnit = &f, cmp.Or(n.EstimateUnit, "points")
	}
	if given := cmp.Or(r.first("due"), r.first("target")); given != "" {
		due, err := date(r.ordered(given))
		if err != nil {
			told.note("line %d: the due date %q cannot be read and was left out", r.line, given)
		}
		n.DueDate = due
	}
	n.CreatedAt, n.UpdatedAt = r.time("created", told), r.time("updated", told)
	return nil
}

// ordered returns a date of the file with the month first.
func (r record) ordered(given string) string {
	if r.dayFirst {
		return dayMonth(given)
	}
	return given
}

// time reads a time. An unreadable time is noted and left out.
func (r record) time(field string, told *Report) time.Time {
	given := r.first(field)
	at, ok := parseTime(r.ordered(given))
	if given != "" && !ok {
		told.note("line %d: the time %q cannot be read and was left out", r.line, given)
	}
	return at
}
