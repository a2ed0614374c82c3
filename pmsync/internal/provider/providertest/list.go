package providertest

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// First returns the first element that is meant, or the zero value for none.
func First[T any](all []T, is func(T) bool) (found T) {
	if at := slices.IndexFunc(all, is); at >= 0 {
		return all[at]
	}
	return found
}

// Shown returns a list for an answer: each element as show returns it, and never null.
func Shown[T, S any](all []T, show func(T) S) []any {
	out := make([]any, 0, len(all))
	for _, one := range all {
		out = append(out, show(one))
	}
	return out
}

// Kept returns the elements that keep holds for, in a list of their own.
func Kept[T any](all []T, keep func(T) bool) (out []T) {
	for _, one := range all {
		if keep(one) {
			out = append(out, one)
		}
	}
	return out
}

// Strings returns the texts of a list in a request's JSON.
func Strings(in any) (all []string) {
	list, _ := in.([]any)
	for _, one := range list {
		if s, ok := one.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// Texts returns the texts of the elements that keep holds for; nil is all.
func Texts[T any](all []T, keep func(T) bool, text func(T) string) (out []string) {
	for _, one := range all {
		if keep == nil || keep(one) {
			out = append(out, text(one))
		}
	}
	return out
}

// Put sets a field to the value of an Edit, if it has one.
func Put[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// Plain returns the text of a comment without pmsync's mark.
func Plain(text string) string {
	plain, _ := provider.Unmark(text)
	return plain
}

// Answer writes a document in JSON. Kind is its content type.
func Answer(w http.ResponseWriter, status int, kind string, body any) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}
