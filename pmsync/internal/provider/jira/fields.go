package jira

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/description"
	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// field is a field on a screen.
type field struct {
	ID              string `json:"fieldId"`
	Name            string
	Required        bool
	HasDefaultValue bool
	Schema          struct{ Type, Items, Custom string }
	AllowedValues   []named
}

// editable returns the fields on the edit screen by id.
func (c *Client) editable(ctx context.Context, current *provider.Item) (map[string]field, error) {
	var meta struct{ Fields map[string]field }
	err := c.get(ctx, "read the fields of "+current.Key, "api/3/issue/"+url.PathEscape(current.RemoteID)+"/editmeta", nil, &meta)
	for id, f := range meta.Fields {
		f.ID = id
		meta.Fields[id] = f
	}
	return meta.Fields, err
}

// setCustom adds custom fields. A field that is not on the screen, or a value that is not allowed, is an Invalid error that lists the
// valid ones.
func setCustom(fields map[string]any, offered map[string]field, values []provider.FieldValue) error {
	for _, v := range values {
		f, ok := fieldNamed(offered, v.Name)
		if !ok {
			return provider.Fail(provider.Invalid, nil, "the screen in Jira has no field %q", v.Name).
				Hint("it has %s", fieldNames(offered, func(field) bool { return true }))
		}
		value, err := f.native(v.Value)
		if err != nil {
			return err
		}
		fields[f.ID] = value
	}
	return nil
}

// fieldNamed returns a field by its name or its id.
func fieldNamed(offered map[string]field, name string) (field, bool) {
	if f, ok := offered[name]; ok {
		return f, true
	}
	for _, id := range slices.Sorted(maps.Keys(offered)) {
		if strings.EqualFold(offered[id].Name, name) {
			return offered[id], true
		}
	}
	return field{}, false
}

// native converts a value to the field's type; "" becomes null, which clears the field.
func (f field) native(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	if f.Schema.Type != "array" {
		return f.one(text)
	}
	return provider.EachLine(text, f.one)
}

// one converts a single value by the field's schema.
func (f field) one(text string) (any, error) {
	kind := f.Schema.Type
	if kind == "array" {
		kind = f.Schema.Items
	}
	switch {
	case len(f.AllowedValues) > 0:
		for _, v := range f.AllowedValues {
			if v.ID == text || strings.EqualFold(v.shown(), text) {
				return map[string]string{"id": v.ID}, nil
			}
		}
		return nil, provider.Fail(provider.Invalid, nil, "the field %q does not take %q", f.Name, text).
			Hint("it takes %s", provider.Quoted(f.AllowedValues, named.shown))
	case kind == "number":
		return provider.Number(f.Name, text)
	case strings.HasSuffix(f.Schema.Custom, ":textarea"):
		return Document(text), nil
	case kind == "string", kind == "date", kind == "datetime":
		return text, nil
	case kind == "user":
		return map[string]string{"accountId": text}, nil
	case kind == "option":
		return map[string]string{"value": text}, nil
	}
	return nil, provider.Fail(provider.Unsupported, nil, "the field %q holds a %s, which cannot be given from here", f.Name, kind).Hint("set it in Jira")
}

// shown returns a value's text: the value of an option, the name of anything else.
func (n named) shown() string { return cmp.Or(n.Value, n.Name) }

// fieldNames lists the names of the fields that keep holds for, sorted and in quotation marks.
func fieldNames(offered map[string]field, keep func(field) bool) string {
	return provider.QuotedSome(maps.Values(offered), keep, func(f field) string { return f.Name })
}

// needed adds the required fields to the error of a creation.
func (c *Client) needed(ctx context.Context, typeID string, fields map[string]any, err error) error {
	if !provider.Is(err, provider.Invalid) {
		return err
	}
	offered, failure := c.offered(ctx, typeID)
	if failure != nil {
		return err
	}
	names := fieldNames(offered, func(f field) bool {
		_, has := fields[f.ID]
		return f.Required && !f.HasDefaultValue && !has
	})
	if names == "" {
		return err
	}
	return provider.Fail(provider.Invalid, nil, "Jira asks for %s of such an issue", names).
		Hint("give it by `--field NAME=VALUE`")
}

// valueText returns a field's value as text: "" for none, several values one per line. raw is the same value.
func valueText(v any, raw json.RawMessage) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var lines []string
		for _, one := range v {
			if line := valueText(one, nil); line != "" {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n")
	case map[string]any:
		if v["type"] == "doc" {
			if doc, err := description.Parse(string(raw), description.ADF); err == nil {
				return strings.TrimSpace(doc.Markdown())
			}
			return ""
		}
		for _, name := range []string{"value", "name", "displayName", "key"} {
			text, ok := v[name].(string)
			if !ok || text == "" {
				continue
			}
			if child, ok := v["child"].(map[string]any); ok { // of a cascading choice
				return fmt.Sprintf("%s / %s", text, valueText(child, nil))
			}
			return text
		}
	}
	return ""
}
