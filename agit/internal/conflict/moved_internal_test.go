package conflict

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A worktree that git moved takes part once: as itself, at its new place.
func TestMoved(t *testing.T) {
	t.Parallel()
	here := t.TempDir()
	rows, others := moved(
		[]Worktree{{Ref: "w-1", Branch: "a", Path: "/gone/a"}, {Ref: "w-2", Branch: "b", Path: here}},
		[]Worktree{{Ref: "main", Branch: "a", Path: "/main", Main: true}, {Ref: "review", Branch: "a", Path: "/review"}, {Ref: "a", Branch: "a", Path: "/far"}, {Ref: "b2", Branch: "b", Path: "/b2"}, {Ref: "none", Path: "/none"}})
	got := map[string][]string{}
	for _, w := range rows {
		got["rows"] = append(got["rows"], w.Ref+" "+w.Path)
	}
	for _, w := range others {
		got["others"] = append(got["others"], w.Ref)
	}
	if diff := cmp.Diff(map[string][]string{"rows": {"w-1 /far", "w-2 " + here}, "others": {"main", "review", "b2", "none"}}, got); diff != "" {
		t.Error(diff)
	}
}
