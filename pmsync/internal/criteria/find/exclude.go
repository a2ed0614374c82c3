package find

import "strings"

// groupPhrases are wordings that exclude a section of a ticket, but inside the criteria only name a group of them ("Documentation",
// "Monitoring").
var groupPhrases = []string{
	"testing", "tests", "unit tests", "required tests", "tests to write", "tests to add", "documentation", "deployment", "monitoring", "rollback", "configuration", "setup", "data", "test data", "metrics", "success metrics", "status", "progress", "history",
	"platform", "platforms", "browser", "browsers", "device", "devices", "desktop", "smartphone", "roles", "personas", "stakeholders", "team", "error", "error message", "error messages", "logs", "log", "output", "code", "kind", "type", "area", "component", "components", "category",
	"changes", "update", "updates", "implementation", "technical implementation", "benefits", "value", "business value", "user value", "user stories", "user story", "story", "use cases", "use case", "options", "optional", "impact", "timeline", "schedule", "versions", "version",
	"actions", "milestones", "problem", "cause", "technical requirements", "deliverable", "umsetzung", "technische umsetzung", "implementierung", "testdaten", "contexte",
}

// hardExcluded reports whether a title excludes its section everywhere, even inside the criteria: it names another kind of list, not a
// group.
func hardExcluded(title string) bool {
	key := labelKey(title)
	words := strings.Fields(key)
	if wordings().accept.within(words, 1) {
		return excludesAcceptance(key, words)
	}
	return meaningOf(title) == excluded && !wordings().groups.whole(key)
}

// excludedWithin reports the same for a section or any section around it.
func excludedWithin(s *section) bool {
	for ; s != nil && s.means != accepts; s = s.parent {
		if s.means == excluded && hardExcluded(s.title) {
			return true
		}
	}
	return false
}
