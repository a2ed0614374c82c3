package land

import "testing"

func TestTries(t *testing.T) {
	t.Parallel()
	here, there := merging{}, merging{remote: "origin"}
	gated, hooked := there, there
	gated.gate, hooked.set.PreMerge = []string{"make"}, []string{"make"}
	for name, c := range map[string]struct {
		m    merging
		want int
	}{"here": {here, 10}, "on a remote": {there, 100}, "behind a gate": {gated, 10}, "behind a hook": {hooked, 10}} {
		if got := c.m.tries(); got != c.want {
			t.Errorf("%s it begins %d times", name, got)
		}
	}
}
