package manifest

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// A table is a TOML table.
type table map[string]any

// maxNesting is deeper than any manifest nests; the TOML parser has no limit of its own.
const maxNesting = 200

// tomlTable reads a TOML document; one that cannot be read is reported and returned empty.
func (d *draft) tomlTable(text string) table {
	if line := nestedBeyond(text, maxNesting); line > 0 {
		d.problem(line, "nests deeper than %d levels", maxNesting)
		return nil
	}
	root := table{}
	if err := unmarshalTOML(text, &root); err != nil {
		line := 0
		if de, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = de.Position()
		}
		d.problem(line, "is not TOML: %v", err)
		return nil
	}
	return root
}

// recovered turns a panic of a parser into its error, since the input is foreign.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the parser failed: %v", r)
	}
}

func unmarshalTOML(text string, root *table) (err error) {
	defer recovered(&err)
	return toml.Unmarshal([]byte(text), (*map[string]any)(root))
}

// nestedBeyond returns the first line where arrays and inline tables nest deeper than limit, 0 when there is none. Brackets in strings
// count too: that can only report too early, for texts that no one writes.
func nestedBeyond(text string, limit int) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '[', '{':
			if depth++; depth > limit {
				return lineAt(text, i)
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return 0
}

// sub returns the table under a path of keys, nil when there is none; reading a nil table is fine.
func (t table) sub(keys ...string) table {
	for _, key := range keys {
		next, _ := t[key].(map[string]any)
		t = next
	}
	return t
}

// str returns a string value, "" for another type.
func (t table) str(key string) string {
	s, _ := t[key].(string)
	return s
}

// yes reports whether a value is true.
func (t table) yes(key string) bool {
	b, _ := t[key].(bool)
	return b
}

// strs returns the strings of an array, or the one string in its place.
func (t table) strs(key string) []string { return stringsOf(t[key]) }

func stringsOf(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// asTable returns the value as a table, nil for another type.
func asTable(v any) table {
	t, _ := v.(map[string]any)
	return t
}

// sorted iterates over a table in the order of its keys, so that the result is deterministic.
func (t table) sorted() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, key := range slices.Sorted(maps.Keys(t)) {
			if !yield(key, t[key]) {
				return
			}
		}
	}
}

// parseGleam reads gleam.toml; its packages come from Hex.
func parseGleam(d *draft, text string) {
	root := d.tomlTable(text)
	d.Name, d.Version, d.Description = root.str("name"), root.str("version"), clean(root.str("description"))
	d.gleam(root.sub("dependencies"), Runtime)
	for _, key := range [...]string{"dev-dependencies", "dev_dependencies"} {
		d.gleam(root.sub(key), Dev)
	}
}

func (d *draft) gleam(list table, group Group) {
	for name, value := range list.sorted() {
		d.add(Dependency{Ecosystem: Hex, Name: strings.TrimSpace(name), Group: group, Local: asTable(value).str("path") != ""})
	}
}
