package providertest

import (
	"encoding/json"
	"net/http"
	"slices"
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

// Answer writes a document in JSON. Kind is its content type.
func Answer(w http.ResponseWriter, status int, kind string, body any) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}
