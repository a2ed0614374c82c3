package fakelinear

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/gql"
)

// node and fields are what the server keeps.
type (
	node   = gql.Node
	fields = gql.Fields
)

// refusal is an error with Linear's code.
type refusal struct{ code, kind, message string }

func (r refusal) Error() string { return r.message }

func invalid(format string, args ...any) error {
	return refusal{"INVALID_INPUT", "invalid input", fmt.Sprintf(format, args...)}
}

func missing(what string) error {
	return refusal{"INPUT_ERROR", "invalid input", "Entity not found: " + what}
}

// partly is a field that the caller may not see.
func partly(said string) gql.Partly {
	return gql.Partly{Err: refusal{"FORBIDDEN", "forbidden", said}}
}

// failed is an error at a place of an answer, in Linear's form.
func failed(err error, path []any) failure {
	f := failure{Code: "GRAPHQL_VALIDATION_FAILED", Type: "graphql error", Message: err.Error(), Path: path}
	if r, ok := errors.AsType[refusal](err); ok {
		f.Code, f.Type = r.code, r.kind
	}
	return f
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// connection is a page of a list. The list is in ascending order of key and id.
func connection[T interface {
	node
	comparable
}](list []T, key func(T) time.Time, id func(T) string, args map[string]any, keep func(T) (bool, error)) (any, error) {
	first := 50
	if n, ok := toFloat(args["first"]); ok {
		first = int(n)
	}
	if first > 250 || first < 1 {
		return nil, invalid("Argument Validation Error: first must not be greater than 250")
	}
	archived, _ := args["includeArchived"].(bool)
	up := ascending(args)
	from, step := 0, 1
	if !up {
		from, step = len(list)-1, -1
	}
	if after, _ := args["after"].(string); after != "" {
		stampText, last, ok := strings.Cut(after, "~")
		at, err := time.Parse(time.RFC3339Nano, stampText)
		if !ok || err != nil {
			return nil, invalid("after is not a cursor")
		}
		beyond := func(t T) bool { return key(t).After(at) || key(t).Equal(at) && id(t) > last }
		i := sort.Search(len(list), func(i int) bool { return beyond(list[i]) })
		if from = i; !up {
			from = i - 1
			for from >= 0 && !(key(list[from]).Before(at) || key(list[from]).Equal(at) && id(list[from]) < last) {
				from--
			}
		}
	} else if up { // items before the filter's lower bound are skipped
		if since, ok := lowest(args); ok {
			from = sort.Search(len(list), func(i int) bool { return !key(list[i]).Before(since) })
		}
	}
	var nodes []node
	var end string
	more := false
	for i := from; i >= 0 && i < len(list); i += step {
		n := list[i]
		if a, err := n.Field("archivedAt", nil); err == nil && !archived {
			if at, ok := a.(*time.Time); ok && at != nil {
				continue
			}
		}
		ok, err := keep(n)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if len(nodes) == first {
			more = true
			break
		}
		nodes = append(nodes, n)
		end = key(n).UTC().Format(time.RFC3339Nano) + "~" + id(n)
	}
	info := fields{"hasNextPage": more, "endCursor": nil}
	if end != "" {
		info["endCursor"] = end
	}
	if nodes == nil {
		nodes = []node{}
	}
	return fields{"nodes": nodes, "pageInfo": info}, nil
}

// ascending reports whether the list is sorted by updatedAt upwards; orderBy
// knows descending only.
func ascending(args map[string]any) bool {
	sorts, _ := args["sort"].([]any)
	for _, s := range sorts {
		by, _ := s.(map[string]any)
		if u, ok := by["updatedAt"].(map[string]any); ok {
			return fmt.Sprint(u["order"]) == "Ascending"
		}
	}
	return false
}

func lowest(args map[string]any) (time.Time, bool) {
	f, _ := args["filter"].(map[string]any)
	u, _ := f["updatedAt"].(map[string]any)
	for _, name := range []string{"gte", "gt"} {
		if text, ok := u[name].(string); ok {
			at, err := time.Parse(time.RFC3339Nano, text)
			return at, err == nil
		}
	}
	return time.Time{}, false
}

// match reports whether a value satisfies a filter of Linear's form.
func match(v any, filter map[string]any) (bool, error) {
	for name, want := range filter {
		ok, err := matchOne(v, name, want)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func matchOne(v any, name string, want any) (bool, error) {
	switch name {
	case "and", "or":
		list, _ := want.([]any)
		for _, f := range list {
			m, _ := f.(map[string]any)
			ok, err := match(v, m)
			if err != nil {
				return false, err
			}
			if ok != (name == "and") {
				return ok, nil
			}
		}
		return name == "and", nil
	case "null":
		return gql.IsNil(v) == want.(bool), nil
	case "some":
		list, _ := v.([]node)
		for _, each := range list {
			if ok, err := match(each, want.(map[string]any)); err != nil || ok {
				return ok, err
			}
		}
		return false, nil
	}
	if inner, ok := want.(map[string]any); ok {
		n, ok := v.(node)
		if !ok || gql.IsNil(v) {
			return false, nil
		}
		value, err := n.Field(name, nil)
		if err != nil {
			return false, err
		}
		return match(value, inner)
	}
	return compare(v, name, want)
}

func compare(v any, name string, want any) (bool, error) {
	var order int
	switch have := v.(type) {
	case time.Time, *time.Time:
		at, ok := have.(time.Time)
		if p, isPointer := have.(*time.Time); isPointer {
			if p == nil {
				return name == "neq", nil
			}
			at, ok = *p, true
		}
		text, _ := want.(string)
		other, err := time.Parse(time.RFC3339Nano, text)
		if !ok || err != nil {
			return false, invalid("%q is not a date", text)
		}
		order = at.Compare(other)
	case string:
		text, _ := want.(string)
		switch name {
		case "in":
			list, _ := want.([]any)
			return slices.Contains(list, v), nil
		case "eqIgnoreCase":
			return strings.EqualFold(have, text), nil
		case "containsIgnoreCase":
			return strings.Contains(strings.ToLower(have), strings.ToLower(text)), nil
		}
		order = strings.Compare(have, text)
	case bool:
		return (have == want) == (name == "eq"), nil
	case nil:
		return name == "neq", nil
	default:
		return false, invalid("a filter on a %T is not served", v)
	}
	fits, served := comparisons[name]
	if !served {
		return false, invalid("the comparison %q is not served", name)
	}
	return slices.Contains(fits, order), nil
}

// comparisons are the results of Compare that fit each comparison.
var comparisons = map[string][]int{"eq": {0}, "neq": {-1, 1}, "gt": {1}, "gte": {0, 1}, "lt": {-1}, "lte": {-1, 0}}
