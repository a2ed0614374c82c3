package mcpkit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

func TestSelect(t *testing.T) {
	sets := map[string][]string{"core": {"test_list", "test_all"}}
	for _, tc := range []struct {
		name     string
		names    []string
		readOnly bool
		want     []string
		message  string
	}{
		{"all", nil, false, []string{"test_all", "test_list", "test_remove"}, ""},
		{"blanks are none", []string{" ", ""}, false, []string{"test_all", "test_list", "test_remove"}, ""},
		{"named", []string{"test_list", " test_remove"}, false, []string{"test_list", "test_remove"}, ""},
		{"a set", []string{"core"}, false, []string{"test_all", "test_list"}, ""},
		{"a set and more", []string{"core", "test_remove"}, false, []string{"test_all", "test_list", "test_remove"}, ""},
		{"read-only", nil, true, []string{"test_list"}, ""},
		{"a set, read-only", []string{"core"}, true, []string{"test_list"}, ""},
		{"nothing left", []string{"test_remove"}, true, nil, "no tool is left: none of the chosen tools is read-only"},
		{"nearly", []string{"test_lists"}, false, nil, `there is no tool "test_lists"; did you mean "test_list"?`},
		{"nearly a set", []string{"cor"}, false, nil, `there is no tool "cor"; did you mean "core"?`},
		{"far off", []string{"frobnicate"}, false, nil, `there is no tool "frobnicate"; known are core, test_all, test_list, test_remove`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newServer(t, mcpkit.Options{Sets: sets})
			err := s.Select(tc.names, tc.readOnly)
			if tc.message != "" {
				if !fault.Is(err, fault.KindValidation) || err.Error() != tc.message {
					t.Fatalf("got %v, want %q", err, tc.message)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var listed []string
			for _, d := range mcptest.Tools(t, s) {
				listed = append(listed, d.Name)
			}
			if diff := cmp.Diff(tc.want, listed); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.want, s.ToolNames()); diff != "" {
				t.Errorf("named (-want +got):\n%s", diff)
			}
		})
	}
}

// The hint of an error names tools where they are offered, and else the command.
func TestHintsNameOfferedTools(t *testing.T) {
	t.Parallel()
	hint := strings.NewReplacer("`test list` lists", "test_list lists", "`test remove` removes", "test_remove removes").Replace
	for want, hinted := range map[string]string{"test_list lists them": "`test list` lists them", "`test remove` removes it": "`test remove` removes it"} {
		s := newServer(t, mcpkit.Options{Hint: hint})
		if err := s.Select([]string{"test_list"}, false); err != nil {
			t.Fatal(err)
		}
		if got := mcpkit.Told(s, fault.NotFound("thing", "x").WithHint("%s", hinted)); got.Hint != want {
			t.Errorf("%q is told as %q", hinted, got.Hint)
		}
	}
}
