package gql_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/gql"
)

type cat struct{ name string }

func (c *cat) Is(name string) bool { return name == "Cat" || name == "Pet" }

func (c *cat) Field(name string, args map[string]any) (any, error) {
	switch name {
	case "name":
		return c.name, nil
	case "echo":
		return args["text"], nil
	case "born":
		return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), nil
	case "kittens":
		return []gql.Node{&cat{"Minka"}, (*cat)(nil)}, nil
	case "secret":
		return gql.Partly{Err: errors.New("not for you")}, nil
	}
	return nil, errors.New("no field " + name)
}

// TestOperation: fields, aliases, arguments, fragments by type, lists, times, and what a
// failure of a part leaves.
func TestOperation(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`{ pet { name n: name born } }`: `{"pet":{"born":"2026-01-02","n":"Tom","name":"Tom"}}`,
		`query($a: String = "x", $b: String, $c: String) { pet { a: echo(text: $a) b: echo(text: $b) c: echo(text: $c) d: echo(text: "y") } }`: `{"pet":{"a":"x","b":"given","c":null,"d":"y"}}`,
		`{ pet { ... on Cat { name } ... on Pet { born } ... on Dog { bark } } }`:                                                              `{"pet":{"born":"2026-01-02","name":"Tom"}}`,
		`{ pet { kittens { name } } none { name } }`:                                                                                           `{"none":null,"pet":{"kittens":[{"name":"Minka"},null]}}`,
		`{ pet { name secret } }`: `{"pet":{"name":"Tom","secret":null}} pet.secret: not for you`,
		`{ pet { bark } }`:        `null pet.bark: no field bark`,
		`{ pet { ...F } }`:        `null pet: fragments with names are not served`,
	} {
		document, err := parser.ParseQuery(&ast.Source{Input: query})
		if err != nil {
			t.Fatal(err)
		}
		failed := ""
		x := &gql.Execution{Variables: map[string]any{"b": "given"}, Stamp: func(at time.Time) string { return at.Format(time.DateOnly) },
			Fail: func(err error, path []any) {
				failed += " "
				for i, p := range path {
					if i > 0 {
						failed += "."
					}
					failed += p.(string)
				}
				failed += ": " + err.Error()
			}}
		got, err := json.Marshal(x.Operation(gql.Fields{"pet": &cat{"Tom"}, "none": nil}, document.Operations[0]))
		if err != nil {
			t.Fatal(err)
		}
		if string(got)+failed != want {
			t.Errorf("%s\nis    %s%s\nnot   %s", query, got, failed, want)
		}
	}
}
