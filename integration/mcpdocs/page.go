package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// page is the document of one server.
type page struct {
	offer
	core map[string]bool // tools of --tools core
	b    strings.Builder
}

func (p *page) say(format string, args ...any) { fmt.Fprintf(&p.b, format, args...) }

func (p *page) markdown() string {
	slices.SortFunc(p.tools, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(p.resources, func(a, b *mcp.Resource) int { return strings.Compare(a.URI, b.URI) })
	slices.SortFunc(p.templates, func(a, b *mcp.ResourceTemplate) int { return strings.Compare(a.URITemplate, b.URITemplate) })
	slices.SortFunc(p.prompts, func(a, b *mcp.Prompt) int { return strings.Compare(a.Name, b.Name) })
	name := p.server.ServerInfo.Name
	p.say("# %s over MCP\n\nWhat `%s serve` offers. This page is generated (`make docs`).\n", name, name)
	p.say("\nEvery result is a JSON object. A failed call is a tool error with `{error, message, field?, entityType?, entityId?, retryable?}`.\n")
	if text := p.server.Instructions; text != "" {
		p.say("\nA model is told:\n\n> %s\n", strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n>\n> "))
	}
	p.overview()
	for _, t := range p.tools {
		p.tool(t)
	}
	p.reads()
	p.asks()
	return p.b.String()
}

func (p *page) overview() {
	p.say("\n## Tools\n\n| tool | effect | in `--tools core` |\n|---|---|---|\n")
	for _, t := range p.tools {
		core := ""
		if p.core[t.Name] {
			core = "yes"
		}
		p.say("| [`%s`](#%s) | %s | %s |\n", t.Name, t.Name, effect(t.Annotations), core)
	}
}

// effect describes the four hints in words.
func effect(a *mcp.ToolAnnotations) string {
	if a == nil {
		return "unknown"
	}
	words := []string{"writes"}
	switch {
	case a.ReadOnlyHint:
		words[0] = "reads"
	case a.DestructiveHint == nil || *a.DestructiveHint:
		words[0] = "writes, may remove or overwrite"
	}
	if a.IdempotentHint && !a.ReadOnlyHint {
		words = append(words, "twice is once")
	}
	if a.OpenWorldHint == nil || *a.OpenWorldHint {
		words = append(words, "talks to others")
	}
	return strings.Join(words, "; ")
}

func (p *page) tool(t *mcp.Tool) {
	p.say("\n### %s\n\n%s\n", t.Name, t.Description)
	in := fieldsOf(t.InputSchema)
	if len(in) == 0 {
		p.say("\nIt takes no parameters.\n")
	} else {
		p.say("\n| parameter | type | | meaning |\n|---|---|---|---|\n")
		for _, f := range in {
			need := ""
			if f.required {
				need = "required"
			}
			p.say("| `%s` | %s | %s | %s |\n", f.name, f.kind(), need, cell(f.Description))
		}
	}
	if out := fieldsOf(t.OutputSchema); len(out) > 0 {
		names := make([]string, len(out))
		for i, f := range out {
			names[i] = "`" + f.name + "`"
		}
		p.say("\nResult: %s\n", strings.Join(names, ", "))
	}
}

// field is a property of a schema.
type field struct {
	name        string
	required    bool
	Type        any      `json:"type"`
	Description string   `json:"description"`
	Enum        []any    `json:"enum"`
	Minimum     *float64 `json:"minimum"`
	Maximum     *float64 `json:"maximum"`
	MaxItems    *float64 `json:"maxItems"`
}

// fieldsOf lists the properties of an object's schema, required ones first; the client's decoder does not keep their order.
func fieldsOf(schema any) []field {
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	var s struct {
		Properties map[string]field `json:"properties"`
		Required   []string         `json:"required"`
	}
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	var fields []field
	for name, f := range s.Properties {
		f.name, f.required = name, slices.Contains(s.Required, name)
		fields = append(fields, f)
	}
	slices.SortFunc(fields, func(a, b field) int {
		return cmp.Or(order(a, s.Required)-order(b, s.Required), strings.Compare(a.name, b.name))
	})
	return fields
}

// order sorts required fields in the schema's order.
func order(f field, required []string) int {
	if at := slices.Index(required, f.name); at >= 0 {
		return at
	}
	return len(required)
}

func (f field) kind() string {
	kind := "any"
	switch t := f.Type.(type) {
	case string:
		kind = t
	case []any:
		kind = strings.Trim(fmt.Sprint(t...), "[]")
	}
	if len(f.Enum) > 0 {
		values := make([]string, len(f.Enum))
		for i, value := range f.Enum {
			values[i] = fmt.Sprintf("`%v`", value)
		}
		kind = strings.Join(values, " ")
	}
	if f.Minimum != nil && f.Maximum != nil {
		kind += fmt.Sprintf(" %g–%g", *f.Minimum, *f.Maximum)
	}
	if f.MaxItems != nil {
		kind += fmt.Sprintf(", at most %g", *f.MaxItems)
	}
	return kind
}

func (p *page) reads() {
	if len(p.resources)+len(p.templates) == 0 {
		return
	}
	p.say("\n## Resources\n\nAll can be subscribed to: a client is told when another process changed them, too.\n\n| URI | what |\n|---|---|\n")
	for _, r := range p.resources {
		p.say("| `%s` | %s |\n", r.URI, cell(r.Description))
	}
	for _, r := range p.templates {
		p.say("| `%s` | %s |\n", r.URITemplate, cell(r.Description))
	}
}

func (p *page) asks() {
	if len(p.prompts) == 0 {
		return
	}
	p.say("\n## Prompts\n\n| prompt | what | arguments |\n|---|---|---|\n")
	for _, prompt := range p.prompts {
		args := make([]string, len(prompt.Arguments))
		for i, a := range prompt.Arguments {
			args[i] = "`" + a.Name + "`"
			if !a.Required {
				args[i] += " (optional)"
			}
		}
		p.say("| `%s` | %s | %s |\n", prompt.Name, cell(prompt.Description), strings.Join(args, ", "))
	}
}

// cell is text inside a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", `\|`), "\n", " ")
}
