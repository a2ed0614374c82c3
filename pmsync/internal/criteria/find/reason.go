package find

import "strings"

// reason explains why a part of the text is read for criteria, and limits the lines that count.
type reason struct {
	why    string                 // a clause; empty where each criterion's form is the reason
	unsure bool                   // their author did not call them criteria
	sure   func(text string) bool // reports which ones are sure nevertheless
	takes  func(text string) bool // reports which lines of this part count; nil for all
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

// below returns the reason for the content of a section.
func below(title string) string { return `it stands below "` + cleanTitle(title) + `"` }

// titleOf returns the title of the nearest section around s with a meaning.
func titleOf(s *section, means meaning) string {
	for ; s != nil; s = s.parent {
		if s.means == means {
			return s.title
		}
	}
	return ""
}
