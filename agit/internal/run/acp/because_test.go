package acp

import "testing"

// A reason stands in parentheses; no reason leaves nothing.
func TestBecause(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{"": "", "it is away": " (it is away)"} {
		if got := because(why); got != want {
			t.Errorf("%q: %q, want %q", why, got, want)
		}
	}
}
