package fakeazure

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

type operation struct {
	Op, Path string
	Value    any
}

// patches returns the operations of the request.
func (c *call) patches() ([]operation, *failure) {
	if kind, _, _ := strings.Cut(c.header.Get("Content-Type"), ";"); kind != "application/json-patch+json" {
		return nil, fail(415, "VssRequestContentTypeNotSupportedException",
			"The request indicated a Content-Type of \"%s\" for method type \"PATCH\" which is not supported. Valid content types for this method are: application/json-patch+json.", kind)
	}
	var ops []operation
	if json.Unmarshal(c.body, &ops) != nil || len(ops) == 0 {
		return nil, fail(400, "VssPropertyValidationException", "You must pass a valid patch document in the body of the request.")
	}
	return ops, nil
}

// update applies all operations or none.
func (c *call) update(i *item) (any, *failure) {
	ops, f := c.patches()
	if f != nil {
		return nil, f
	}
	next := *i
	next.tags, next.links = slices.Clone(i.tags), slices.Clone(i.links)
	written := map[string]bool{}
	for _, op := range ops {
		if f := c.apply(&next, op, written); f != nil {
			return nil, f
		}
	}
	if f := i.legal(next.state); f != nil {
		return nil, f
	}
	for field := range written {
		next.writes[field]++
	}
	*i = next
	c.w.touch(i)
	return i.whole(c.q.Get("$expand")), nil
}

// legal reports whether the type allows the state after the item's own.
func (i *item) legal(to string) *failure {
	if to == i.state || slices.Contains(i.kind.steps[i.state], to) {
		return nil
	}
	return fail(400, "RuleValidationException", "TF401320: Rule Error for field State. Error code: HasValues, LimitedToValues, AllowsOldValue, InvalidNotOldValue.")
}

func (c *call) apply(i *item, op operation, written map[string]bool) *failure {
	value := ""
	switch v := op.Value.(type) {
	case string:
		value = v
	case float64:
		value = strconv.FormatFloat(v, 'f', -1, 64)
	}
	if op.Op == "test" {
		if op.Path != "/rev" {
			return fail(400, "VssPropertyValidationException", "Test is supported for /rev alone.")
		}
		if value != strconv.Itoa(i.rev) {
			return fail(412, "TestPatchOperationFailedException", "VS403351: Test Operation for path /rev failed. The value is %d.", i.rev)
		}
		return nil
	}
	if op.Op == "add" && op.Path == "/relations/-" {
		written["relations"] = true
		return c.relate(i, op.Value)
	}
	if place, is := strings.CutPrefix(op.Path, "/relations/"); is && op.Op == "remove" {
		return c.unrelate(i, place, written)
	}
	field, ok := strings.CutPrefix(op.Path, "/fields/")
	if !ok || !slices.Contains([]string{"add", "replace", "remove"}, op.Op) {
		return fail(400, "VssPropertyValidationException", "The path %q is not understood.", op.Path)
	}
	if op.Op == "remove" {
		value = ""
	}
	switch field {
	case "System.Title":
		i.title, written["title"] = value, true
	case "System.Description":
		i.body, written["body"] = value, true
	case "System.IterationPath":
		i.sprint, written["sprint"] = value, true
	case dueField:
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return fail(400, "VssPropertyValidationException", "The value %q is not a date.", value)
		}
		i.due, written["due"] = value+"T00:00:00Z", true
	case pointsField, hoursField:
		if op.Op == "remove" {
			i.estimate, written["estimate"] = nil, true
			return nil
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || (field == pointsField) != (i.kind.name == "User Story") {
			return fail(400, "WorkItemFieldInvalidException", "TF51535: Cannot find field %s.", field)
		}
		i.estimate, written["estimate"] = &n, true
	case "System.State":
		if !slices.ContainsFunc(i.kind.states, func(s state) bool { return s.name == value }) {
			return fail(400, "RuleValidationException", "TF401320: Rule Error for field State. Error code: HasValues, LimitedToValues, InvalidNotEmpty.")
		}
		i.state, written["status"] = value, true
	case "Microsoft.VSTS.Common.Priority":
		n, err := strconv.Atoi(value)
		if value != "" && (err != nil || n < 1 || n > 4) {
			return fail(400, "RuleValidationException", "TF401320: Rule Error for field Priority. Error code: HasValues, LimitedToValues.")
		}
		i.priority, written["priority"] = n, true
	case "System.AssignedTo":
		written["assignee"] = true
		i.assignee = c.w.person(value)
		if i.assignee == nil && value != "" {
			return fail(400, "RuleValidationException", "VS403691: Update to work item %d had two or more updates for field with reference name 'System.AssignedTo', or the identity value '%s' is unknown.", i.id, value)
		}
	case SeverityField:
		if value != "" && !slices.Contains(severities, value) {
			return fail(400, "RuleValidationException", "TF401320: Rule Error for field Severity. Error code: HasValues, LimitedToValues, InvalidNotEmpty.")
		}
		i.severity, written["severity"] = value, true
	case "System.Tags":
		written["labels"] = true
		if op.Op != "add" { // add keeps existing values
			i.tags = nil
		}
		for _, tag := range strings.Split(value, ";") {
			if tag = strings.TrimSpace(tag); tag != "" && !has(i.tags, tag) {
				i.tags = append(i.tags, tag)
			}
		}
		slices.Sort(i.tags)
	default:
		return fail(400, "WorkItemFieldInvalidException", "TF51535: Cannot find field %s.", field)
	}
	return nil
}

// relate adds a relation to another item or to an address.
func (c *call) relate(i *item, value any) *failure {
	raw, _ := json.Marshal(value)
	var r struct {
		Rel, URL   string
		Attributes struct{ Comment string }
	}
	if json.Unmarshal(raw, &r) != nil || r.Rel == "" || r.URL == "" {
		return fail(400, "VssPropertyValidationException", "The relation is not understood: %s", raw)
	}
	if r.Rel == "Hyperlink" {
		i.links = append(i.links, link{rel: r.Rel, address: r.URL, comment: r.Attributes.Comment})
		return nil
	}
	id, _ := strconv.Atoi(r.URL[strings.LastIndexByte(r.URL, '/')+1:])
	other := c.w.byID[id]
	if other == nil {
		return missing(id)
	}
	if r.Rel == "System.LinkTypes.Hierarchy-Reverse" && i.parent() != nil {
		return fail(400, "RuleValidationException", "TF201036: You cannot add a Parent link between work items %d and %d because a work item can have only one Parent link.", i.id, other.id)
	}
	c.w.link(i, r.Rel, other)
	return nil
}

// unrelate removes the relation at an index, from both items.
func (c *call) unrelate(i *item, place string, written map[string]bool) *failure {
	at, err := strconv.Atoi(place)
	if err != nil || at < 0 || at >= len(i.links) {
		return fail(400, "VssPropertyValidationException", "The relation %q does not exist.", place)
	}
	gone := i.links[at]
	i.links = slices.Delete(i.links, at, at+1)
	if other := gone.other; other != nil {
		other.links = slices.DeleteFunc(other.links, func(l link) bool { return l.other != nil && l.other.id == i.id && l.rel == back[gone.rel] })
	}
	written["relations"] = true
	return nil
}

// create creates an item of the type after the $.
func (c *call) create() (any, *failure) {
	name, ok := strings.CutPrefix(c.rest[2], "$")
	if !ok || c.project == nil {
		return nil, fail(404, "", "The controller for path was not found.")
	}
	kind := c.project.kind(name)
	if kind == nil {
		return nil, fail(404, "WorkItemTypeNotFoundException", "VS402323: Work item type %s does not exist in project %s or you do not have permission to access it.", name, c.project.name)
	}
	ops, f := c.patches()
	if f != nil {
		return nil, f
	}
	i := c.w.add(c.project, kind.name, "")
	i.author, i.priority = c.w.people[0], 2 // defaults of the process
	for _, op := range ops {
		if f = c.apply(i, op, map[string]bool{}); f != nil {
			break
		}
	}
	if f == nil && kind.name == "Incident" && i.severity == "" {
		f = fail(400, "RuleValidationException", "TF401320: Rule Error for field Severity. Error code: Required, HasValues, LimitedToValues, AllowsOldValue, InvalidEmpty.")
	}
	if f == nil && i.title == "" {
		f = fail(400, "RuleValidationException", "TF401320: Rule Error for field Title. Error code: Required, HasValues, InvalidEmpty.")
	}
	if f != nil {
		delete(c.w.byID, i.id)
		c.w.items = slices.DeleteFunc(c.w.items, func(other *item) bool { return other == i })
		return nil, f
	}
	return i.whole(c.q.Get("$expand")), nil
}
