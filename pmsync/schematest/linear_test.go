package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

// TestLinear runs the conformance checks of Linear, and validates each query, its
// variables, and each answer against Linear's schema.
func TestLinear(t *testing.T) {
	v := &linearSchema{seen: map[string]int{}}
	var err error
	v.schema, err = gqlparser.LoadSchema(&ast.Source{Name: "schema.graphql", Input: string(spec(t, "linear", "schema.graphql"))})
	if err != nil {
		t.Fatal(err)
	}
	h := conformance.Linear()
	h.Observe = v.observe
	conformance.Run(t, h)
	for _, name := range []string{"Connection", "Teams", "Changes", "Issues", "Projects", "Milestones", "Issue", "Project", "Milestone", "States",
		"Labels", "Cycles", "Users", "Comments", "IssuesThere", "ProjectsThere", "MilestonesThere", "Update", "Create", "Comment"} {
		if v.seen[name] == 0 {
			t.Errorf("the operation %s was never sent", name)
		}
	}
}

type linearSchema struct {
	schema *ast.Schema
	mu     sync.Mutex
	seen   map[string]int
}

func (v *linearSchema) observe(t *testing.T, e conformance.Exchange) {
	var q struct {
		Query     string
		Variables map[string]any
	}
	if err := json.Unmarshal(e.RequestBody, &q); err != nil {
		t.Errorf("a request is not JSON: %v", err)
		return
	}
	document, err := gqlparser.LoadQueryWithRules(v.schema, q.Query, nil)
	if err != nil {
		t.Errorf("a query is not valid: %v\n%s", err, q.Query)
		return
	}
	op := document.Operations[0]
	v.mu.Lock()
	v.seen[op.Name]++
	v.mu.Unlock()
	if _, err := validator.VariableValues(v.schema, op, q.Variables); err != nil {
		t.Errorf("variables of %s are not valid: %v\n%s", op.Name, err, e.RequestBody)
	}
	explicitNulls(t, op.Name, q.Variables)
	var answer struct {
		Data   any
		Errors []any
	}
	decoder := json.NewDecoder(bytes.NewReader(e.Body))
	if decoder.Decode(&answer) != nil || answer.Data == nil {
		return // a fault, or an error
	}
	v.object(t, op.Name, op.SelectionSet, answer.Data, len(answer.Errors) > 0)
}

// explicitNulls fails when a null is sent for anything but an assignee, an estimate, a
// cycle or a parent that is taken away: Linear takes a null for "clear this field".
func explicitNulls(t *testing.T, op string, variables map[string]any) {
	input, _ := variables["input"].(map[string]any)
	for name, value := range input {
		if value == nil && name != "assigneeId" && name != "estimate" && name != "cycleId" && name != "parentId" {
			t.Errorf("%s sends null for %s", op, name)
		}
	}
	for name, value := range variables {
		if value == nil {
			t.Errorf("%s sends null for the variable %s", op, name)
		}
	}
}

func (v *linearSchema) object(t *testing.T, at string, set ast.SelectionSet, value any, partial bool) {
	object, ok := value.(map[string]any)
	if !ok {
		t.Errorf("%s is a %T, not an object", at, value)
		return
	}
	if len(object) > len(set) {
		t.Errorf("%s has fields that were not asked for: %v", at, object)
	}
	for _, s := range set {
		f := s.(*ast.Field)
		got, ok := object[f.Alias]
		if !ok {
			t.Errorf("%s lacks %s", at, f.Alias)
			continue
		}
		v.value(t, at+"."+f.Alias, f.Definition.Type, f.SelectionSet, got, partial)
	}
}

func (v *linearSchema) value(t *testing.T, at string, of *ast.Type, set ast.SelectionSet, value any, partial bool) {
	if value == nil {
		if of.NonNull && !partial {
			t.Errorf("%s must not be null", at)
		}
		return
	}
	if of.Elem != nil {
		list, ok := value.([]any)
		if !ok {
			t.Errorf("%s is a %T, not a list", at, value)
			return
		}
		for i, each := range list {
			v.value(t, fmt.Sprintf("%s[%d]", at, i), of.Elem, set, each, partial)
		}
		return
	}
	definition := v.schema.Types[of.NamedType]
	switch definition.Kind {
	case ast.Object, ast.Interface:
		v.object(t, at, set, value, partial)
		return
	case ast.Enum:
		if text, ok := value.(string); !ok || definition.EnumValues.ForName(text) == nil {
			t.Errorf("%s is %v, which is not in the enum %s", at, value, of.NamedType)
		}
		return
	}
	text, isText := value.(string)
	number, isNumber := value.(float64)
	_, isBool := value.(bool)
	ok := true
	switch of.NamedType {
	case "ID", "String":
		ok = isText
	case "Int":
		ok = isNumber && number == math.Trunc(number)
	case "Float":
		ok = isNumber
	case "Boolean":
		ok = isBool
	case "DateTime":
		_, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		ok = err == nil
	case "TimelessDate":
		_, err := time.Parse("2006-01-02", text)
		ok = err == nil
	}
	if !ok {
		t.Errorf("%s is %v, not a %s", at, value, of.NamedType)
	}
}
