package fakeasana

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

const (
	// offsetLife is how long a page token is valid.
	offsetLife = 20 * time.Minute
	// syncLife is how long the event stream is kept.
	syncLife = 24 * time.Hour
	// unpaged is the longest list that is returned without a limit.
	unpaged = 1000
)

// object returns an object with all its fields; unrequested ones are removed later.
type object map[string]any

func (t *thing) compact() object {
	if t == nil {
		return nil
	}
	return object{"gid": t.gid, "resource_type": t.kind, "name": t.name}
}

// or returns JSON null for an empty value.
func or(t *thing) any {
	if t == nil {
		return nil
	}
	return t.compact()
}

func compacts(list []*thing) []any { return providertest.Shown(list, (*thing).compact) }

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// pick keeps the requested fields and those that every object has.
func (c *call) pick(o object, compact ...string) object {
	return pick(o, c.fields, append(compact, "gid", "resource_type"))
}

func pick(o object, fields, always []string) object {
	out := object{}
	for name, value := range o {
		var below []string
		asked := slices.Contains(always, name) && (len(fields) == 0 || name == "gid" || name == "resource_type")
		for _, f := range fields {
			head, rest, nested := strings.Cut(f, ".")
			if head != name {
				continue
			}
			asked = true
			if nested {
				below = append(below, rest)
			}
		}
		if !asked {
			continue
		}
		if len(below) > 0 {
			value = deeper(value, below)
		} else {
			value = shallow(value)
		}
		out[name] = value
	}
	return out
}

func deeper(value any, below []string) any {
	switch v := value.(type) {
	case object:
		if v == nil {
			return nil
		}
		return pick(v, below, []string{"gid", "resource_type"})
	case []any:
		return providertest.Shown(v, func(one any) any { return deeper(one, below) })
	}
	return value
}

// shallow returns an object for a request without fields.
func shallow(value any) any {
	switch v := value.(type) {
	case object:
		return pick(v, nil, []string{"gid", "resource_type", "name"})
	case []any:
		return providertest.Shown(v, shallow)
	}
	return value
}

func (c *call) object(t *task) object {
	o := object{
		"gid": t.gid, "resource_type": "task", "name": t.name, "resource_subtype": t.subtype, "completed": t.completed,
		"created_at": stamp(t.created), "modified_at": stamp(t.modified), "notes": t.notes, "html_notes": t.richNotes(),
		"due_on": nil, "permalink_url": "https://app.asana.com/0/" + Project + "/" + t.gid, "is_rendered_as_separator": false,
		"assignee": or(t.assignee), "parent": nil, "tags": compacts(t.tags),
	}
	if t.due != "" {
		o["due_on"] = t.due
	}
	if t.subtype == "approval" {
		o["approval_status"] = t.approval
	}
	if t.parent != nil {
		o["parent"] = t.parent.compact()
	}
	if t.custom != nil {
		o["custom_type"], o["custom_type_status_option"] = t.custom.compact(), or(t.option)
	}
	bare := func(t *task) any { return object{"gid": t.gid, "resource_type": "task"} }
	related := c.w.related(t)
	o["num_subtasks"] = len(providertest.Kept(related, func(other *task) bool { return other.parent == t }))
	o["dependencies"] = providertest.Shown(t.waits, bare)
	o["dependents"] = providertest.Shown(providertest.Kept(related, func(other *task) bool { return slices.Contains(other.waits, t) }), bare)
	o["memberships"] = providertest.Shown(t.memberships, func(m membership) any {
		return object{"project": m.project.compact(), "section": m.section.compact()}
	})
	o["custom_fields"] = providertest.Shown(c.w.fields, func(f *customField) any {
		value := object{"gid": f.gid, "resource_type": "custom_field", "name": f.name, "type": "enum", "representation_type": "enum",
			"enum_value": or(t.fields[f.gid]), "display_value": nil}
		if v := t.fields[f.gid]; v != nil {
			value["display_value"] = v.name
		}
		return value
	})
	return o
}

// related are the tasks that name this one as their parent or wait for it.
func (w *workspace) related(t *task) []*task {
	return providertest.Kept(w.near[t.gid], func(other *task) bool { return !other.gone() })
}

// page returns one page of a list by Asana's tokens. The order of the list does not change; place is an element's position in it.
func (c *call) page(n int, place func(int) int, element func(int) any) (any, *failure) {
	limit := 0
	if text := c.q.Get("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > 100 {
			return nil, fail(400, "limit: Must be between 1 and 100")
		}
	}
	from, query := -1, c.fingerprint()
	if offset := c.q.Get("offset"); offset != "" {
		var token struct {
			After int
			At    int64
			Query string
		}
		raw, err := base64.RawURLEncoding.DecodeString(offset)
		if err != nil || json.Unmarshal(raw, &token) != nil || token.Query != query {
			return nil, fail(400, "offset: You have passed an offset value that is not valid for this query")
		}
		if c.w.now().Sub(time.UnixMilli(token.At)) > offsetLife {
			return nil, fail(400, "offset: Your pagination token has expired.")
		}
		from = token.After
	}
	if limit == 0 && n > unpaged {
		return nil, fail(400, "The result is too large. You should use pagination (may require specifying a workspace)!")
	}
	data := []any{}
	var next any
	for i := range n {
		if place(i) <= from {
			continue
		}
		if limit > 0 && len(data) == limit {
			raw, _ := json.Marshal(map[string]any{"After": place(i - 1), "At": c.w.now().UnixMilli(), "Query": query})
			token := base64.RawURLEncoding.EncodeToString(raw)
			where := "/" + strings.Join(c.parts, "/") + "?offset=" + token
			next = object{"offset": token, "path": where, "uri": "https://app.asana.com/api/1.0" + where}
			break
		}
		data = append(data, element(i))
	}
	out := whole{"data": data}
	if limit > 0 {
		out["next_page"] = next
	}
	return out, nil
}

// fingerprint identifies the list that a page token belongs to.
func (c *call) fingerprint() string {
	return fmt.Sprint(strings.Join(c.parts, "/"), c.q.Get("project"), c.q.Get("section"), c.q.Get("modified_since"), c.q.Get("limit"))
}

func (c *call) things(list []*thing, object func(*thing) object) (any, *failure) {
	return c.page(len(list), func(i int) int { return i }, func(i int) any { return c.pick(object(list[i]), "name") })
}

func (c *call) taskPage(list []*task) (any, *failure) {
	return c.page(len(list), func(i int) int { return list[i].order }, func(i int) any { return c.pick(c.object(list[i]), "name", "resource_subtype") })
}

// The allowed elements of texts (https://developers.asana.com/docs/rich-text).
var (
	storyElements = []string{"body", "strong", "em", "u", "s", "code", "ol", "ul", "li", "a", "blockquote", "pre"}
	noteElements  = append([]string{"h1", "h2", "hr", "table", "tr", "td"}, storyElements...)
)

// plainText returns the text of rich text. Invalid XML and other elements are refused, as in Asana.
func plainText(field, rich string, elements []string) (string, *failure) {
	d := xml.NewDecoder(strings.NewReader(rich))
	var b strings.Builder
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && depth == 0 {
			break
		}
		if err != nil {
			return "", fail(400, "%s: XML is invalid", field)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if !slices.Contains(elements, t.Name.Local) || (depth == 0) != (t.Name.Local == "body") {
				return "", fail(400, "%s: XML is invalid: unsupported element %s", field, t.Name.Local)
			}
			depth++
		case xml.EndElement:
			depth--
		case xml.CharData:
			b.Write(t)
		}
	}
	return b.String(), nil
}

// richNotes are the notes as rich text.
func (t *task) richNotes() string {
	if t.html != "" {
		return t.html
	}
	return "<body>" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(t.notes) + "</body>"
}
