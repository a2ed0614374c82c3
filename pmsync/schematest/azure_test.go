package schematest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/agit-suite/agit/pmsync/internal/provider/providertest/conformance"
)

// TestAzureDevOps runs the conformance checks of Azure DevOps, and validates each
// request and each answer against Microsoft's descriptions.
func TestAzureDevOps(t *testing.T) {
	anyDateTime()
	apis := map[string]*openAPI{}
	for part, file := range map[string]string{"projects": "core.json", "work": "work.json", "wit": "workItemTracking.json"} {
		api := loadSwagger(t, spec(t, "azure-devops", file))
		api.also = func(t *testing.T, op string, e conformance.Exchange) {
			api.described(t, e)
			if e.Request.URL.Query().Get("bypassRules") != "" {
				t.Errorf("%s goes round the rules", op)
			}
		}
		apis[part] = api
	}
	h := conformance.AzureDevOps()
	h.Observe = func(t *testing.T, e conformance.Exchange) {
		_, rest, _ := strings.Cut(e.Request.URL.Path, "/_apis/")
		part, _, _ := strings.Cut(rest, "/")
		if apis[part] == nil {
			t.Errorf("%s is in none of the descriptions", e.Request.URL.Path)
			return
		}
		// Paths are the same in any case: the descriptions write workItems and
		// workitems for one thing.
		e.Request = e.Request.Clone(e.Request.Context())
		e.Request.URL.Path, e.Request.URL.RawPath = strings.ToLower(e.Request.URL.Path), ""
		apis[part].observe(t, e)
	}
	conformance.Run(t, h)
	apis["projects"].called(t, "Projects_List", "Projects_Get", "Teams_Get Teams", "Teams_Get Team Members With Extended Properties")
	apis["work"].called(t, "Iterations_List")
	apis["wit"].called(t, "Wiql_Query By Wiql", "Work Items_Get Work Items Batch", "Work Items_Get Work Item", "Work Items_Update", "Work Items_Create",
		"Work Item Types_List", "Work Item Type Categories_List", "Comments_Add Work Item Comment", "Comments_Get Comments",
		"Recyclebin_Get Deleted Work Item Shallow References", "Recyclebin_Get")
}

type object = map[string]any

// loadSwagger reads a description of Azure DevOps, which is written for readers
// and not for validators, and mends it rule by rule. Recorded answers of the
// service pass what comes out.
func loadSwagger(t *testing.T, text []byte) *openAPI {
	t.Helper()
	var doc object
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &doc); err != nil { // the files begin with a byte order mark
		t.Fatal(err)
	}
	swaggerPaths(doc)
	swaggerTypes(doc)
	mended, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var v2 openapi2.T
	if err := json.Unmarshal(mended, &v2); err != nil {
		t.Fatal(err)
	}
	v3, err := openapi2conv.ToV3(&v2)
	if err != nil {
		t.Fatal(err)
	}
	return newOpenAPI(t, v3, swaggerOverlay)
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// swaggerPaths mends the paths.
func swaggerPaths(doc object) {
	paths := doc["paths"].(object)
	// The requests for pages of comments and for a format are described as paths with a
	// query, which OpenAPI does not have: known paths with further parameters.
	more, _ := doc["x-ms-paths"].(object)
	for path, item := range more {
		bare, _, _ := strings.Cut(path, "?")
		if !strings.Contains(path, "/comments") || paths[bare] == nil {
			continue
		}
		for method, op := range item.(object) {
			paths[bare].(object)[method] = op
		}
	}
	out := object{}
	for path, item := range paths {
		// Case does not matter in a path.
		lower := strings.ToLower(path)
		names := pathParameter.FindAllString(path, -1)
		i := 0
		lower = pathParameter.ReplaceAllStringFunc(lower, func(string) string { i++; return names[i-1] })
		// An id is a number, or /workitems/$Task would be taken for one.
		lower = strings.ReplaceAll(lower, "/workitems/{id}", "/workitems/{id:[0-9]+}")
		add := func(path string, item object) {
			if out[path] == nil {
				out[path] = object{}
			}
			for method, op := range item {
				if out[path].(object)[method] == nil {
					out[path].(object)[method] = op
				}
			}
		}
		add(strings.TrimSuffix(lower, "/"), item.(object))
		// A project and a team are needed by the description and not by the service,
		// which it says beside: x-ms-required.
		for _, left := range [][]string{{"team"}, {"team", "project"}} {
			if short, ok := without(lower, item.(object), left); ok {
				for path, item := range short {
					add(path, item)
				}
			}
		}
	}
	doc["paths"] = out
}

// without is the path without parameters that may be left out.
func without(path string, item object, names []string) (map[string]object, bool) {
	out, changed := object{}, false
	for _, name := range names {
		if strings.Contains(path, "/{"+name+"}") {
			path, changed = strings.Replace(path, "/{"+name+"}", "", 1), true
		}
	}
	for method, value := range item {
		op, ok := value.(object)
		if !ok {
			continue
		}
		next, parameters := object{}, []any{}
		for k, v := range op {
			next[k] = v
		}
		list, _ := op["parameters"].([]any)
		for _, p := range list {
			o := p.(object)
			left := false
			for _, name := range names {
				if o["name"] == name && o["in"] == "path" {
					if o["x-ms-required"] != false {
						return nil, false
					}
					left = true
				}
			}
			if !left {
				parameters = append(parameters, p)
			}
		}
		next["parameters"] = parameters
		out[method] = next
	}
	return map[string]object{path: out}, changed
}

// swaggerTypes mends the types.
func swaggerTypes(doc object) {
	definitions := doc["definitions"].(object)
	// A patch is a list of operations, not an object made of a list.
	if definitions["JsonPatchDocument"] != nil {
		definitions["JsonPatchDocument"] = object{"type": "array", "items": object{"$ref": "#/definitions/JsonPatchOperation"}}
		// The value of an operation is of any type, and so is that of a field.
		definitions["JsonPatchOperation"].(object)["properties"].(object)["value"] = object{}
	}
	if definitions["WorkItem"] != nil {
		definitions["WorkItem"].(object)["properties"].(object)["fields"] = object{"type": "object", "additionalProperties": object{}}
	}
	walk(doc, func(o object) {
		// So is whatever a map holds: the attribute isLocked of a relation is a
		// boolean, not an object.
		if a, ok := o["additionalProperties"].(object); ok && a["type"] == "object" && a["properties"] == nil && a["additionalProperties"] == nil {
			o["additionalProperties"] = object{}
		}
		// Values of an enumeration are read in any case, and new ones come.
		if _, list := o["enum"].([]any); list {
			delete(o, "enum")
		}
	})
	for _, item := range doc["paths"].(object) {
		for _, op := range item.(object) {
			responses, _ := op.(object)["responses"].(object)
			for _, r := range responses {
				// A list comes wrapped, with its length beside it.
				if s, ok := r.(object)["schema"].(object); ok && s["type"] == "array" {
					r.(object)["schema"] = object{"type": "object", "required": []any{"value"}, "properties": object{"count": object{"type": "integer"}, "value": s}}
				}
			}
			// The version is needed, and is the one that the description names.
			list, _ := op.(object)["parameters"].([]any)
			for i, p := range list {
				name, _ := p.(object)["$ref"].(string)
				if named, ok := doc["parameters"].(object)[strings.TrimPrefix(name, "#/parameters/")].(object); ok {
					copied := object{}
					for k, v := range named {
						copied[k] = v
					}
					if m := regexp.MustCompile(`set to '([^']+)'`).FindStringSubmatch(named["description"].(string)); m != nil {
						copied["enum"] = []any{m[1]}
					}
					list[i] = copied
				}
			}
		}
	}
}

// walk calls f for each object below v.
func walk(v any, f func(object)) {
	switch v := v.(type) {
	case object:
		f(v)
		for _, below := range v {
			walk(below, f)
		}
	case []any:
		for _, below := range v {
			walk(below, f)
		}
	}
}

// swaggerOverlay lets everything be null: dates of an iteration, the holes of a
// batch, the actions of a step.
func swaggerOverlay(doc *openapi3.T) {
	var open func(s *openapi3.SchemaRef)
	open = func(s *openapi3.SchemaRef) {
		if s == nil || s.Value == nil || s.Value.Nullable {
			return
		}
		s.Value.Nullable = true
		for _, p := range s.Value.Properties {
			open(p)
		}
		open(s.Value.Items)
		open(s.Value.AdditionalProperties.Schema)
		for _, part := range s.Value.AllOf {
			open(part)
		}
	}
	for _, s := range doc.Components.Schemas {
		open(s)
	}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, answer := range op.Responses.Map() {
				if content := answer.Value.Content.Get("application/json"); content != nil {
					open(content.Schema)
					content.Schema.Value.Nullable = false // but not the answer itself
				}
			}
		}
	}
}
