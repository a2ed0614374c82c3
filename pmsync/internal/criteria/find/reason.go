package find

import "strings"

// reason is why a part of the text is read for criteria, and what it takes.
type reason struct {
	why    string                 // a clause; empty where the form of each criterion is the reason
	unsure bool                   // nobody called them criteria
	sure   func(text string) bool // which of them are sure even so
	takes  func(text string) bool // of the lines of this part; nil takes all
}

// of returns the reason of one criterion.
func (r reason) of(n Criterion) (why string, unsure bool) {
	switch {
	case r.why != "":
		return r.why, r.unsure && (r.sure == nil || !r.sure(n.Text))
	case n.Form == FormScenario:
		return "it is a scenario of given, when and then", false
	case n.Form == FormTable:
		return "its column is called acceptance criteria", false
	}
	return "it is named " + strings.TrimSpace(n.Label), false
}

// below is the reason of what stands in a section.
func below(title string) string { return `it stands below "` + cleanTitle(title) + `"` }

// titleOf returns the title of the section of a meaning that s belongs to.
func titleOf(s *section, means meaning) string {
	for ; s != nil; s = s.parent {
		if s.means == means {
			return s.title
		}
	}
	return ""
}
