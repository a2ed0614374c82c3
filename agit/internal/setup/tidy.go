package setup

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// tidy takes out the containers that were made, and marks the files that hold
// nothing else any more for removal.
func (s *Setup) tidy() {
	for _, f := range s.order {
		if f.err != nil || f.rec == nil || !f.changed() {
			continue
		}
		f.tidyContainers()
		if len(f.rec.Entries) > 0 {
			continue
		}
		if f.rec.Whole && onlySeeds(f) {
			f.text = f.rec.Blank
		}
		if f.rec.Made && strings.TrimSpace(f.text) == "" {
			f.gone = true
		}
	}
}

// tidyContainers takes out the containers that were made and are empty.
func (f *file) tidyContainers() {
	for i, made := range slices.Backward(f.rec.Containers) {
		j, err := edit.ParseJSON(f.text)
		if err != nil {
			return
		}
		text, err := j.TakeMade(made)
		if err != nil {
			continue // it stays, empty
		}
		f.text = text
		if j, err = edit.ParseJSON(text); err != nil {
			return
		}
		if _, left := j.Get(made.Made[0]...); !left {
			f.rec.Containers = slices.Delete(f.rec.Containers, i, i+1)
		}
	}
}

// onlySeeds reports whether a JSON file holds only what it was begun with.
func onlySeeds(f *file) bool {
	if strings.HasSuffix(f.path, ".md") || strings.HasSuffix(f.path, ".toml") {
		return strings.TrimSpace(f.text) == ""
	}
	j, err := edit.ParseJSON(f.text)
	return err == nil && (j.Only(seedsOf(f.path)) || j.Only(nil))
}

// seedsOf are the members that a new file of this name begins with.
func seedsOf(path string) edit.Object {
	for i := range recipes() {
		r := &recipes()[i]
		for _, t := range append(slices.Clone(r.Servers.Project), r.Servers.User...) {
			if filepath.Base(t) == filepath.Base(path) && r.Servers.Seeds != nil {
				return r.Servers.Seeds
			}
		}
		if r.Hooks.Seeds != nil && filepath.Base(r.Hooks.Project) == filepath.Base(path) {
			return r.Hooks.Seeds
		}
	}
	return nil
}
