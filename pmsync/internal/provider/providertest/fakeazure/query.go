package fakeazure

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
)

// The supported conditions.
var (
	queryShape = regexp.MustCompile(`(?is)^\s*SELECT\s+\[System\.Id\]\s+FROM\s+WorkItems\s+WHERE\s+(.*?)(?:\s+ORDER\s+BY\s+\[(System\.\w+)\](?:\s+(ASC|DESC))?)?\s*$`)
	and        = regexp.MustCompile(`(?i)\s+AND\s+`)
	condition  = regexp.MustCompile(`(?i)^\[([\w.]+)\]\s*(=|>=|<=|>|<|NOT IN GROUP)\s*(@\w+|\d+|'[^']*')$`)
)

// wiql answers a query with ids.
func (c *call) wiql() (any, *failure) {
	var sent struct{ Query string }
	if json.Unmarshal(c.body, &sent) != nil {
		return nil, fail(400, "VssPropertyValidationException", "You must pass a valid patch document in the body of the request.")
	}
	shape := queryShape.FindStringSubmatch(sent.Query)
	if shape == nil || len(sent.Query) > 32<<10 {
		return nil, fail(400, "WorkItemTrackingQueryException", "TF51004: The query is not understood: %s", sent.Query)
	}
	asOf := c.w.now()
	found := c.w.items
	for _, text := range and.Split(shape[1], -1) {
		keep, f := c.condition(strings.TrimSpace(text), asOf)
		if f != nil {
			return nil, f
		}
		found = providertest.Kept(found, keep)
	}
	found = providertest.Kept(found, func(i *item) bool {
		return !i.deleted && (c.project == nil || i.project == c.project || !strings.Contains(shape[1], "@project"))
	})
	if len(found) > c.s.o.MaxRows {
		return nil, fail(400, "WorkItemTrackingQueryResultSizeLimitExceededException",
			"VS402337: The number of work items returned exceeds the size limit of %d. Change the query to return fewer items.", c.s.o.MaxRows)
	}
	slices.SortStableFunc(found, func(a, b *item) int {
		n := a.id - b.id
		if strings.EqualFold(shape[2], "System.ChangedDate") {
			n = a.changed.Compare(b.changed)
		}
		if strings.EqualFold(shape[3], "DESC") {
			n = -n
		}
		return n
	})
	if top, err := strconv.Atoi(c.q.Get("$top")); err == nil && top < len(found) {
		found = found[:top]
	}
	items := providertest.Shown(found, func(i *item) any {
		return map[string]any{"id": i.id, "url": fmt.Sprintf("%s/_apis/wit/workItems/%d", base, i.id)}
	})
	return map[string]any{"queryType": "flat", "queryResultType": "workItem", "asOf": stamp(asOf), "workItems": items,
		"columns": []any{map[string]any{"referenceName": "System.Id", "name": "ID", "url": base + "/_apis/wit/fields/System.Id"}}}, nil
}

// condition is one condition as a function.
func (c *call) condition(text string, now time.Time) (func(*item) bool, *failure) {
	m := condition.FindStringSubmatch(text)
	if m == nil {
		return nil, fail(400, "WorkItemTrackingQueryException", "TF51006: The query statement is missing a comparison operator. The error is caused by «%s».", text)
	}
	value := strings.Trim(m[3], "'")
	switch field := strings.ToLower(m[1]); field {
	case "system.teamproject":
		p := c.project
		if m[3] != "@project" {
			p = c.w.project(value)
		}
		if p == nil {
			return nil, fail(400, "WorkItemTrackingQueryException", "TF51005: The query references a field that does not exist or a project that is not known.")
		}
		return func(i *item) bool { return i.project == p }, nil
	case "system.workitemtype":
		return func(i *item) bool { return i.kind.category != value }, nil
	case "system.id":
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, fail(400, "WorkItemTrackingQueryException", "TF51011: The specified value is not a number.")
		}
		return compare(m[2], func(i *item) int { return i.id - n }), nil
	case "system.changeddate", "system.createddate":
		if strings.ContainsAny(value, "T:") && c.q.Get("timePrecision") != "true" {
			return nil, fail(400, "WorkItemTrackingQueryException", "You cannot supply a time with the date when running a query using date precision. The error is caused by «%s = '%s'».", m[1], value)
		}
		at, err := time.Parse(time.RFC3339Nano, value)
		if err != nil {
			return nil, fail(400, "WorkItemTrackingQueryException", "TF51003: The date is not in a format that is understood: %s", value)
		}
		later := compare(m[2], func(i *item) int {
			if field == "system.createddate" {
				return i.created.Compare(at)
			}
			return i.changed.Compare(at)
		})
		return func(i *item) bool { return later(i) && !i.changed.After(now.Add(-c.s.o.Lag)) }, nil
	case "system.assignedto", "system.createdby":
		return func(i *item) bool {
			if field == "system.createdby" {
				return i.author == c.w.people[0]
			}
			return i.assignee == c.w.people[0]
		}, nil
	}
	return nil, fail(400, "WorkItemTrackingQueryException", "TF51005: The query references a field that does not exist. The error is caused by «[%s]».", m[1])
}

func compare(operator string, difference func(*item) int) func(*item) bool {
	fits := map[string][]int{">": {1}, "<": {-1}, ">=": {0, 1}, "<=": {-1, 0}}[operator]
	return func(i *item) bool {
		d := cmp.Compare(difference(i), 0)
		return slices.Contains(fits, d) || fits == nil && d == 0
	}
}

// batch reads up to 200 items. With errorPolicy omit, unreadable ones are null.
func (c *call) batch() (any, *failure) {
	var sent struct {
		IDs    []int
		Fields []string
		Expand string `json:"$expand"`
		Policy string `json:"errorPolicy"`
	}
	if json.Unmarshal(c.body, &sent) != nil || len(sent.IDs) == 0 {
		return nil, fail(400, "VssPropertyValidationException", "Value cannot be null. Parameter name: ids")
	}
	if len(sent.IDs) > 200 {
		return nil, fail(400, "VssPropertyValidationException", "VS403474: You may only request a maximum of 200 work items at a time.")
	}
	if len(sent.Fields) > 0 && sent.Expand != "" && !strings.EqualFold(sent.Expand, "none") {
		return nil, fail(400, "ConflictingParametersException", "The expand parameter can not be used with the fields parameter.")
	}
	var out []any
	for _, id := range sent.IDs {
		i := c.w.byID[id]
		switch {
		case i != nil && !i.deleted && !i.hidden:
			out = append(out, i.whole(sent.Expand))
		case strings.EqualFold(sent.Policy, "omit"):
			out = append(out, nil)
		default:
			return nil, missing(id)
		}
	}
	return listed(out), nil
}

func missing(id int) *failure {
	return fail(404, "WorkItemUnauthorizedAccessException", "TF401232: Work item %d does not exist, or you do not have permissions to read it.", id)
}
