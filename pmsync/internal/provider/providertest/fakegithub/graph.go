package fakegithub

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest"
	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/gql"
)

// graphRefusal is an error with GitHub's type.
type graphRefusal struct{ kind, message string }

func (r graphRefusal) Error() string { return r.message }

func noNode(id any) error {
	return graphRefusal{"NOT_FOUND", fmt.Sprintf("Could not resolve to a node with the global id of '%v'.", id)}
}

// graphAnswer is an answer of the GraphQL API, always with status 200.
func graphAnswer(data any, errs []any) (int, any) {
	out := map[string]any{"data": data}
	if len(errs) > 0 {
		out["errors"] = errs
	}
	return http.StatusOK, out
}

func graphError(err error, path []any) map[string]any {
	one := map[string]any{"message": err.Error(), "path": path}
	if r, ok := errors.AsType[graphRefusal](err); ok {
		one["type"] = r.kind
	}
	return one
}

// graph answers an operation of GraphQL.
func (x *request) graph() (int, any) {
	query, _ := x.in["query"].(string)
	document, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil || len(document.Operations) != 1 {
		return graphAnswer(nil, []any{graphError(fmt.Errorf("Parse error: %w", err), nil)})
	}
	variables, _ := x.in["variables"].(map[string]any)
	var errs []any
	run := &gql.Execution{Variables: variables, Stamp: stamp, Fail: func(err error, path []any) { errs = append(errs, graphError(err, path)) }}
	op := document.Operations[0]
	root := gql.Node(&graphRoot{x})
	if op.Operation == ast.Mutation {
		root = &mutations{x}
	}
	return graphAnswer(run.Operation(root, op), errs)
}

// typed is a value with fields and a set of types.
type typed struct {
	gql.Fields
	types []string
}

// Is reports whether it is of a type.
func (t typed) Is(name string) bool { return slices.Contains(t.types, name) }

// graphRoot is the root of queries.
type graphRoot struct{ x *request }

// Field is a root of a query.
func (q *graphRoot) Field(name string, args map[string]any) (any, error) {
	switch name {
	case "repositoryOwner":
		if args["login"] != Owner {
			return nil, nil
		}
		return ownerNode{q.x}, nil
	case "node":
		if args["id"] == boardID {
			return boardNode{q.x}, nil
		}
		return nil, noNode(args["id"])
	case "nodes":
		ids, _ := args["ids"].([]any)
		if len(ids) > 100 {
			return nil, graphRefusal{"ARGUMENT_LIMIT", "You may not provide more than 100 node ids; you provided " + strconv.Itoa(len(ids)) + "."}
		}
		var all []gql.Node
		for _, id := range ids {
			i := q.x.issueNode(id)
			if i == nil {
				all = append(all, (*issueNode)(nil))
				continue
			}
			all = append(all, &issueNode{q.x, i})
		}
		return all, nil
	}
	return nil, fmt.Errorf("Field '%s' doesn't exist on type 'Query'", name)
}

// issueNode finds an issue by its node id.
func (x *request) issueNode(id any) *issue {
	for _, r := range x.s.w.repos {
		if i := providertest.First(r.issues, func(i *issue) bool { return fmt.Sprintf("I_%d", i.id) == id }); i != nil {
			return i
		}
	}
	return nil
}

type ownerNode struct{ x *request }

// Is reports whether it is of a type.
func (o ownerNode) Is(name string) bool { return name == "Organization" || name == "ProjectV2Owner" }

// Field is a part of an organization.
func (o ownerNode) Field(name string, args map[string]any) (any, error) {
	if name != "projectV2" {
		return nil, fmt.Errorf("Field '%s' doesn't exist on type 'ProjectV2Owner'", name)
	}
	if n, _ := args["number"].(float64); n != 1 {
		return gql.Partly{Err: graphRefusal{"NOT_FOUND", fmt.Sprintf("Could not resolve to a ProjectV2 with the number %v.", args["number"])}}, nil
	}
	return boardNode(o), nil
}

const boardID = "PVT_1"

type boardNode struct{ x *request }

// Is reports whether it is of a type.
func (b boardNode) Is(name string) bool { return name == "ProjectV2" }

// Field is a part of the project.
func (b boardNode) Field(name string, args map[string]any) (any, error) {
	board := b.x.s.w.board
	switch name {
	case "id":
		return boardID, nil
	case "title":
		return "Roadmap", nil
	case "updatedAt":
		return board.updated, nil
	case "fields":
		all := []gql.Node{}
		for _, f := range board.fields {
			all = append(all, f.node())
		}
		return gql.Fields{"nodes": all}, nil
	case "items":
		return b.items(args)
	}
	return nil, fmt.Errorf("Field '%s' doesn't exist on type 'ProjectV2'", name)
}

func (f *boardField) node() gql.Node {
	out := typed{gql.Fields{"id": f.id, "name": f.name, "dataType": f.kind}, []string{"ProjectV2FieldCommon"}}
	options := []gql.Node{}
	for _, o := range f.options {
		options = append(options, gql.Fields{"id": o.id, "name": o.name, "title": o.name, "startDate": o.start, "duration": o.days})
	}
	switch f.kind {
	case "SINGLE_SELECT":
		out.Fields["options"], out.types = options, append(out.types, "ProjectV2SingleSelectField")
	case "ITERATION":
		out.Fields["configuration"], out.types = gql.Fields{"iterations": options, "completedIterations": []gql.Node{}}, append(out.types, "ProjectV2IterationField")
	default:
		out.types = append(out.types, "ProjectV2Field")
	}
	return out
}

// items returns a page of the project's items in the order of their addition.
func (b boardNode) items(args map[string]any) (any, error) {
	first, _ := args["first"].(int64)
	if first < 1 || first > 100 {
		return nil, graphRefusal{"EXCESSIVE_PAGINATION", "Requesting too many records on the `items` connection"}
	}
	from := 0
	if after, ok := args["after"].(string); ok {
		from, _ = strconv.Atoi(strings.TrimPrefix(after, "C"))
	}
	all := b.x.s.w.board.items
	to := min(from+int(first), len(all))
	nodes := []gql.Node{}
	for _, p := range all[min(from, to):to] {
		nodes = append(nodes, gql.Fields{"updatedAt": p.updated, "content": typed{gql.Fields{"number": p.issue.number,
			"repository": gql.Fields{"databaseId": p.issue.repo.id}}, []string{"Issue"}}})
	}
	return gql.Fields{"nodes": nodes, "pageInfo": gql.Fields{"hasNextPage": to < len(all), "endCursor": "C" + strconv.Itoa(to)}}, nil
}

type issueNode struct {
	x *request
	i *issue
}

// Is reports whether it is of a type.
func (n *issueNode) Is(name string) bool { return name == "Issue" }

// Field is a part of an issue.
func (n *issueNode) Field(name string, _ map[string]any) (any, error) {
	switch name {
	case "id":
		return fmt.Sprintf("I_%d", n.i.id), nil
	case "projectItems":
		all := []gql.Node{}
		if p := n.x.s.w.board.item(n.i); p != nil {
			all = append(all, placeNode{n.x, p})
		}
		return gql.Fields{"nodes": all}, nil
	}
	return nil, fmt.Errorf("Field '%s' doesn't exist on type 'Issue'", name)
}

type placeNode struct {
	x *request
	p *boardItem
}

// Field is a part of an issue's place in the project.
func (n placeNode) Field(name string, args map[string]any) (any, error) {
	switch name {
	case "id":
		return n.p.id, nil
	case "project":
		return gql.Fields{"id": boardID}, nil
	case "fieldValueByName":
		wanted, _ := args["name"].(string)
		f := n.x.s.w.board.field(wanted)
		if f == nil {
			return nil, nil
		}
		if o := f.option(n.p.options[f.name]); o != nil {
			return typed{gql.Fields{"optionId": o.id, "iterationId": o.id, "title": o.name},
				[]string{map[string]string{"SINGLE_SELECT": "ProjectV2ItemFieldSingleSelectValue", "ITERATION": "ProjectV2ItemFieldIterationValue"}[f.kind]}}, nil
		}
		if f.kind == "NUMBER" && n.p.number != nil {
			return typed{gql.Fields{"number": *n.p.number}, []string{"ProjectV2ItemFieldNumberValue"}}, nil
		}
		return nil, nil
	}
	return nil, fmt.Errorf("Field '%s' doesn't exist on type 'ProjectV2Item'", name)
}

// mutations are the operations that change the project.
type mutations struct{ x *request }

// Field runs a mutation.
func (m *mutations) Field(name string, args map[string]any) (any, error) {
	// An input that holds variables is resolved by the executor.
	in, _ := args["input"].(map[string]any)
	if in["projectId"] != boardID {
		return nil, noNode(in["projectId"])
	}
	if m.x.s.o.ReadOnly {
		return nil, graphRefusal{"FORBIDDEN", "ann does not have permission to update projects"}
	}
	w := m.x.s.w
	if name == "addProjectV2ItemById" {
		i := m.x.issueNode(in["contentId"])
		if i == nil {
			return nil, noNode(in["contentId"])
		}
		return gql.Fields{"item": gql.Fields{"id": w.addToBoard(i).id}}, nil
	}
	p := providertest.First(w.board.items, func(p *boardItem) bool { return p.id == in["itemId"] })
	field, _ := in["fieldId"].(string)
	f := w.board.field(field)
	if p == nil || f == nil {
		return nil, noNode(in["itemId"])
	}
	value, _ := in["value"].(map[string]any)
	switch {
	case name == "clearProjectV2ItemFieldValue":
		value = nil
	case name != "updateProjectV2ItemFieldValue":
		return nil, fmt.Errorf("Field '%s' doesn't exist on type 'Mutation'", name)
	case len(value) != 1:
		return nil, graphRefusal{"VALIDATION", "The value must have one field"}
	}
	return m.set(p, f, value)
}

func (m *mutations) set(p *boardItem, f *boardField, value map[string]any) (any, error) {
	delete(p.options, f.name)
	if f.kind == "NUMBER" {
		p.number = nil
	}
	for kind, v := range value {
		id, _ := v.(string)
		o := f.option(id)
		switch {
		case kind == "number" && f.kind == "NUMBER":
			n, _ := v.(float64)
			p.number = &n
		case kind == "singleSelectOptionId" && f.kind == "SINGLE_SELECT" && o != nil, kind == "iterationId" && f.kind == "ITERATION" && o != nil:
			p.options[f.name] = o.id
		default:
			return nil, graphRefusal{"VALIDATION", "The value of " + f.name + " is not one of the field"}
		}
	}
	m.x.s.w.moved(p)
	p.issue.writes[wire[f.name]]++
	return gql.Fields{"projectV2Item": gql.Fields{"id": p.id}}, nil
}
