package jira

import (
	"strings"

	"github.com/agit-suite/agit/pmsync/internal/provider"
)

// linkWords are parts of the names of link directions, with the relation of that side to the other issue. The first match wins: "is
// blocked by" also contains "block". Issues that "depend on" or are "dependent on" another wait; those that are "depended on by"
// another or have a "dependent" are waited for. For a name in another language, the link type's name and the direction decide.
var linkWords = []struct {
	part     string
	relation provider.Relation
}{
	{"blocked by", provider.BlockedBy}, {"depended on by", provider.Blocks}, {"depended upon by", provider.Blocks},
	{"required by", provider.Blocks}, {"required for", provider.Blocks}, {"needed by", provider.Blocks}, {"needed for", provider.Blocks},
	{"prerequisite for", provider.Blocks}, {"prerequisite of", provider.Blocks}, {"prerequisite to", provider.Blocks},
	{"dependency of", provider.Blocks}, {"dependency for", provider.Blocks}, {"predecessor of", provider.Blocks}, {"predecessor to", provider.Blocks},
	{"has dependent", provider.Blocks}, {"has successor", provider.Blocks}, {"waited for by", provider.Blocks}, {"waited on by", provider.Blocks},
	{"done before", provider.Blocks}, {"finished before", provider.Blocks}, {"completed before", provider.Blocks}, {"must precede", provider.Blocks},
	{"gated by", provider.BlockedBy}, {"held up by", provider.BlockedBy}, {"depends on", provider.BlockedBy}, {"depends upon", provider.BlockedBy},
	{"depend on", provider.BlockedBy}, {"dependent on", provider.BlockedBy}, {"dependent upon", provider.BlockedBy}, {"has dependency", provider.BlockedBy},
	{"has predecessor", provider.BlockedBy}, {"has prerequisite", provider.BlockedBy}, {"successor of", provider.BlockedBy}, {"successor to", provider.BlockedBy},
	{"waits for", provider.BlockedBy}, {"waits on", provider.BlockedBy}, {"waiting for", provider.BlockedBy}, {"waiting on", provider.BlockedBy},
	{"requires", provider.BlockedBy}, {"needs", provider.BlockedBy},
	{"done after", provider.BlockedBy}, {"finished after", provider.BlockedBy}, {"completed after", provider.BlockedBy}, {"must follow", provider.BlockedBy},
	{"duplicated by", provider.DuplicatedBy}, {"cloned by", provider.DuplicatedBy}, {"duplicate", provider.Duplicates}, {"clones", provider.Duplicates},
	{"blocks", provider.Blocks}, {"blocking", provider.Blocks}, {"gates", provider.Blocks},
}

// relationOf returns the relation by the name of a direction; if that is unknown, a type named like blocking or duplicating goes from
// its outward to its inward side.
func relationOf(name, word string, outward bool) provider.Relation {
	word = strings.Join(strings.Fields(strings.ToLower(word)), " ")
	for _, known := range linkWords {
		if strings.Contains(word, known.part) {
			return known.relation
		}
	}
	blocks, duplicates := provider.BlockedBy, provider.DuplicatedBy
	if outward {
		blocks, duplicates = provider.Blocks, provider.Duplicates
	}
	switch name = strings.ToLower(name); {
	case strings.Contains(name, "block"):
		return blocks
	case strings.Contains(name, "duplicate"), strings.Contains(name, "clone"):
		return duplicates
	}
	return provider.RelatedTo
}

// linkType is a type of links with the names of its directions.
type linkType struct{ Name, Inward, Outward string }

// convertLink converts a link from the view of its issue: Jira names the other issue, and this issue is on the side whose name leads to
// that one.
func (c *Client) convertLink(id string, of linkType, to, from *issueRef) (provider.Link, bool) {
	other, word, outward := to, of.Outward, true
	if other == nil {
		other, word, outward = from, of.Inward, false
	}
	if other == nil || other.ID == "" {
		return provider.Link{}, false
	}
	l := provider.Link{ID: id, Target: *other.ref(), Native: word, Relation: relationOf(of.Name, word, outward)}
	if s := other.Fields.Status; s.ID != "" || s.StatusCategory.Key != "" {
		category := c.status(s, "").Category
		l.Resolved = category == provider.Done || category == provider.Canceled
	}
	return l, true
}
