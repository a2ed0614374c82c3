package jira

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

func TestRelationOf(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		name, word string
		outward    bool
		want       provider.Relation
	}{
		{"Blocks", "blocks", true, provider.Blocks},
		{"Blocks", "is blocked by", false, provider.BlockedBy},
		{"Odd", "is blocked by", true, provider.BlockedBy}, // a site that turned it round
		{"Odd", "blocks", false, provider.Blocks},
		{"Dependency", "depends on", true, provider.BlockedBy},
		{"Dependency", "is depended on by", false, provider.Blocks},
		{"Gantt", "has to be done before", true, provider.Blocks},
		{"Gantt", "has to be done after", false, provider.BlockedBy},
		{"Needs", "Is  Required By", false, provider.Blocks},
		{"Needs", "requires", true, provider.BlockedBy},
		{"Chain", "is prerequisite for", true, provider.Blocks},
		{"Duplicate", "duplicates", true, provider.Duplicates},
		{"Duplicate", "is duplicated by", false, provider.DuplicatedBy},
		{"Cloners", "is cloned by", false, provider.DuplicatedBy},
		{"Cloners", "clones", true, provider.Duplicates},
		{"Blocks", "blockiert", true, provider.Blocks},
		{"Blocks", "wird blockiert von", false, provider.BlockedBy},
		{"Duplicate", "doppelt", true, provider.Duplicates},
		{"Relates", "relates to", true, provider.RelatedTo},
		{"Tests", "is tested by", false, provider.RelatedTo},
	} {
		if got := relationOf(s.name, s.word, s.outward); got != s.want {
			t.Errorf("%s: %q, outward %v: %s, want %s", s.name, s.word, s.outward, got, s.want)
		}
	}
}

// A link carries how its other end stands, so that a blocker of another project that
// is finished blocks nothing.
func TestLinkTellsWhatIsFinished(t *testing.T) {
	t.Parallel()
	c := &Client{}
	for category, want := range map[string]bool{"new": false, "indeterminate": false, "done": true} {
		other := &issueRef{ID: "9", Key: "PLAT-9"}
		other.Fields.Status.ID, other.Fields.Status.StatusCategory.Key = "1", category
		l, ok := c.convertLink("1", linkType{"Blocks", "is blocked by", "blocks"}, nil, other)
		if !ok || l.Relation != provider.BlockedBy || l.Resolved != want || l.Target.Key != "PLAT-9" {
			t.Errorf("%s: %+v, %v", category, l, ok)
		}
	}
	if l, _ := c.convertLink("1", linkType{"Blocks", "is blocked by", "blocks"}, nil, &issueRef{ID: "9"}); l.Resolved {
		t.Error("a blocker whose status is not told counts as finished")
	}
}
