package setup

import (
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// oldPlugin is an entry that an earlier agent tracker left in a client's list of plugins: a path into a folder of its source. The agit
// plugin does the same, so with both every tool would be counted twice. The entry is taken out and not restored.
type oldPlugin struct{ key string }

func (p oldPlugin) entry() edit.Entry { return edit.Entry{Path: []string{p.key}, Is: isOldPlugin} }

// isOldPlugin reports whether an element of a list of plugins is a file:// path that
// leads to, or into, the folder of an earlier tracker.
func isOldPlugin(value any) bool {
	entry, _ := value.(string)
	path, local := strings.CutPrefix(entry, "file://")
	return local && strings.Contains(strings.TrimSuffix(path, "/")+"/", "/agent-tracker/")
}

// stands reports whether a file has such an entry.
func (p oldPlugin) stands(f *file) bool {
	j, err := edit.ParseJSON(f.text)
	if f.err != nil || err != nil {
		return false
	}
	_, found := j.Find(p.entry())
	return found
}

func (p oldPlugin) look(_ *Setup, f *file) (State, string) {
	if p.stands(f) {
		return Stale, "an earlier tracker's entry, which agit's plugin replaces"
	}
	return Current, ""
}

func (p oldPlugin) ours(*Setup, *file, string) bool { return true }

func (p oldPlugin) put(_ *Setup, f *file, _ string) error {
	for p.stands(f) {
		j, err := edit.ParseJSON(f.text)
		if err != nil {
			return err
		}
		text, err := j.Take(p.entry(), edit.Added{})
		if err != nil {
			return err
		}
		f.text = text
	}
	return nil
}

// take does nothing: --remove does not restore the entry, which pointed to the tracker's own folder.
func (p oldPlugin) take(*Setup, *file, string) (bool, string, error) { return false, "", nil }
