package mcptest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/agit-suite/agit/shared/mcpkit"
)

// Portable fails when a model's API would refuse a tool's input schema, and with it every request of the conversation. Each value must have
// one type, an enum must consist of strings, a list must describe its items, and an object below the input its members.
// https://ai.google.dev/api/caching#Schema
func Portable(t *testing.T, s *mcpkit.Server) {
	t.Helper()
	for _, tool := range Tools(t, s) {
		var schema map[string]any
		if err := json.Unmarshal(tool.InputSchema, &schema); err != nil {
			t.Fatal(err)
		}
		for _, wrong := range refused(tool.Name, schema, true) {
			t.Error(wrong)
		}
	}
}

// refused returns the places of a schema that some models' APIs do not accept.
func refused(path string, schema map[string]any, top bool) (wrong []string) {
	kind, typed := schema["type"].(string)
	if !typed {
		wrong = append(wrong, fmt.Sprintf("%s has the type %v, not one", path, schema["type"]))
	}
	if words, ok := schema["enum"].([]any); ok {
		for _, word := range words {
			if text, isText := word.(string); kind != "string" || !isText || text == "" {
				wrong = append(wrong, fmt.Sprintf("%s: %v stands in an enum of texts", path, word))
			}
		}
	}
	items, listed := schema["items"].(map[string]any)
	if kind == "array" && !listed {
		wrong = append(wrong, path+" does not describe its items")
	}
	if listed {
		wrong = append(wrong, refused(path+"[]", items, false)...)
	}
	properties, _ := schema["properties"].(map[string]any)
	if kind == "object" && !top && len(properties) == 0 {
		wrong = append(wrong, path+" is an object that describes none of its members")
	}
	for name, inner := range properties {
		member, _ := inner.(map[string]any)
		wrong = append(wrong, refused(path+"."+name, member, false)...)
	}
	return wrong
}
