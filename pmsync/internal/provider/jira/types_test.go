package jira

import (
	"strings"
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/shared/fault"
)

// TestChooseType: the named type, the only one, else the usual ones; several others are
// named.
func TestChooseType(t *testing.T) {
	t.Parallel()
	types := func(names ...string) (all []issueType) {
		for _, n := range names {
			all = append(all, issueType{ID: strings.ToLower(n), Name: n})
		}
		return all
	}
	for _, c := range []struct {
		types  []issueType
		native string
		want   string
		reason provider.Reason
	}{
		{types("Bug", "Story", "Task"), "", "Task", ""},
		{types("Bug", "Story"), "", "Story", ""},
		{types("Incident"), "", "Incident", ""},
		{types("Bug", "Incident"), "", "", provider.Ambiguous},
		{types("Bug", "Incident"), "bug", "Bug", ""},
		{types("Bug", "Incident"), "Chore", "", provider.Invalid},
	} {
		got, err := chooseType(c.types, provider.NewItem{NativeType: c.native})
		if got.Name != c.want || provider.ReasonOf(err) != c.reason {
			t.Errorf("%v of %+v is %q, %v", c.native, c.types, got.Name, err)
		}
		if c.reason == provider.Ambiguous && !strings.Contains(fault.From(err).Hint, "--type") {
			t.Errorf("%v", err)
		}
	}
}
