package setup

import (
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// wholeFile is a file that setup writes as a whole: a skill, an agent definition, a plugin.
type wholeFile struct {
	text string
	also func() string // where the same thing stands already; "" when nowhere
}

func (p wholeFile) look(_ *Setup, f *file) (State, string) {
	switch {
	case !f.exists && p.also != nil && p.also() != "":
		return Current, "is in " + p.also() + " already"
	case !f.exists:
		return Missing, ""
	case sameLines(f.before, p.text):
		return Current, ""
	case f.rec != nil && len(f.rec.Entries) == 1 && f.rec.Entries[0].Sum == sumOf(f.before):
		return Stale, "was written by another version"
	}
	return Current, "exists and is kept"
}

func (p wholeFile) ours(_ *Setup, f *file, id string) bool {
	e := f.rec.entryOf(id)
	return sameLines(f.before, p.text) || e != nil && e.Sum == sumOf(f.before)
}

func (p wholeFile) put(_ *Setup, f *file, id string) error {
	f.text = p.text
	f.remember(id, sumOf(p.text), "", edit.Added{})
	return nil
}

func (p wholeFile) take(s *Setup, f *file, id string) (bool, string, error) {
	if !f.exists {
		return false, "", nil
	}
	if !s.Options.Force && !p.ours(s, f, id) {
		return false, "is not what setup wrote; remove it yourself if you do not need it", nil
	}
	if f.rec == nil {
		f.rec, f.blind = &record{}, true
	}
	f.gone = true
	return true, "", nil
}

func sameLines(a, b string) bool {
	return strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}

// together returns the part of an item that several clients share. The item counts as existing elsewhere only if it exists there for each
// of them.
func together(a, b part) part {
	first, ok := a.(wholeFile)
	second, also := b.(wholeFile)
	if !ok || !also || first.also == nil || second.also == nil {
		return a
	}
	return wholeFile{first.text, func() string {
		if second.also() == "" {
			return ""
		}
		return first.also()
	}}
}
