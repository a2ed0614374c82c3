package schematest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

// described fails for each field of a good answer that the description does not
// have: the validator lets unknown fields pass, and so would a client that reads
// what no real server sends.
func (o *openAPI) described(t *testing.T, e conformance.Exchange) {
	t.Helper()
	var body any
	if e.Status >= 300 || json.Unmarshal(bytes.TrimPrefix(e.Body, []byte("\ufeff")), &body) != nil {
		return
	}
	r := e.Request.Clone(e.Request.Context())
	if len(r.URL.Path) >= len(o.prefix) {
		r.URL.Path, r.URL.RawPath = r.URL.Path[len(o.prefix):], ""
	}
	route, _, err := o.router.FindRoute(r)
	if err != nil {
		return // the validator says so
	}
	answer := route.Operation.Responses.Status(e.Status)
	if answer == nil || answer.Value == nil || answer.Value.Content.Get("application/json") == nil {
		return
	}
	for _, field := range unknown(answer.Value.Content.Get("application/json").Schema, body, "") {
		t.Errorf("the answer of %s has %s, which is not described", route.Operation.OperationID, field)
	}
}

// unknown are the paths of fields that the schema does not have.
func unknown(s *openapi3.SchemaRef, value any, at string) (out []string) {
	if s == nil || s.Value == nil {
		return nil
	}
	properties, items, open := openapi3.Schemas{}, (*openapi3.SchemaRef)(nil), (*openapi3.SchemaRef)(nil)
	gather(s, properties, &items, &open)
	switch v := value.(type) {
	case []any:
		for i, one := range v {
			out = append(out, unknown(items, one, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		for name, below := range v {
			switch p := properties[name]; {
			case p != nil:
				out = append(out, unknown(p, below, at+"."+name)...)
			case open != nil:
				out = append(out, unknown(open, below, at+"."+name)...)
			case len(properties) > 0: // an object without any is free
				out = append(out, at+"."+name)
			}
		}
	}
	sort.Strings(out)
	return out
}

// gather collects what a schema is made of.
func gather(s *openapi3.SchemaRef, properties openapi3.Schemas, items, open **openapi3.SchemaRef) {
	for name, p := range s.Value.Properties {
		properties[name] = p
	}
	if s.Value.Items != nil {
		*items = s.Value.Items
	}
	if a := s.Value.AdditionalProperties; a.Schema != nil {
		*open = a.Schema
	} else if a.Has != nil && *a.Has {
		*open = openapi3.NewSchema().NewRef()
	}
	for _, list := range []openapi3.SchemaRefs{s.Value.AllOf, s.Value.OneOf, s.Value.AnyOf} {
		for _, part := range list {
			gather(part, properties, items, open)
		}
	}
}
