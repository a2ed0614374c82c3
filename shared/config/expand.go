package config

import (
	"strings"
)

// credential reports whether ${VAR} is replaced in a field: only in fields that identify the user to a tracker. Commands are left to the
// shell that runs them.
func credential(name string) bool {
	return strings.HasPrefix(name, "providers.") && !strings.HasSuffix(name, "_command")
}

// expand replaces each ${VAR} by the variable's value, or by nothing when it is
// not set. A $ without braces stays: secrets hold such characters.
func expand(text string, lookup func(string) string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "${")
		if !ok {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isVariable(name) {
			b.WriteString(before + "${")
			text = rest
			continue
		}
		b.WriteString(before + lookup(name))
		text = after
	}
	return b.String() + text
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// isReference reports whether a raw value is one ${VAR} and no secret itself.
func isReference(raw any) bool {
	text, ok := raw.(string)
	if !ok || !strings.HasPrefix(text, "${") {
		return false
	}
	name, rest, _ := strings.Cut(text[2:], "}")
	return rest == "" && isVariable(name) && strings.HasSuffix(text, "}")
}
