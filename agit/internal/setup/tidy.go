package setup

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// tidy takes out the containers that setup made, and marks files that hold nothing else for removal.
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
		if f.blind {
			s.tidyBlind(f)
		}
		if f.rec.Made && strings.TrimSpace(f.text) == "" {
			f.gone = true
		}
	}
}

// tidyBlind cleans up a file without a record after entries were taken out: it takes out the empty containers around them, and the file
// itself when it holds only the initial content that setup writes.
func (s *Setup) tidyBlind(f *file) {
	for _, path := range f.around {
		j, err := edit.ParseJSON(f.text)
		if err != nil {
			return
		}
		var made [][]string
		for n := range path {
			made = append(made, path[:n+1])
		}
		if text, err := j.TakeMade(edit.Added{Made: made}); err == nil {
			f.text = text
		}
	}
	if onlySeeds(f) || f.gone {
		f.gone = true
		f.rec.Folders = s.emptyFolders(f.place)
	}
}

// emptyFolders returns the folders between the root and a path, the outermost first. Their removal stops at the first that is in use.
func (s *Setup) emptyFolders(path string) (folders []string) {
	root := real(s.root)
	for at := filepath.Dir(path); at != root && filepath.Dir(at) != at; at = filepath.Dir(at) {
		if rel, err := filepath.Rel(root, at); err != nil || !filepath.IsLocal(rel) {
			break
		}
		folders = append(folders, at)
	}
	slices.Reverse(folders)
	return folders
}

// tidyContainers takes out the empty containers that setup made.
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

// onlySeeds reports whether a JSON file holds only its initial content.
func onlySeeds(f *file) bool {
	text := strings.TrimPrefix(f.text, f.rec.Blank)
	if strings.HasSuffix(f.path, ".md") || strings.HasSuffix(f.path, ".toml") {
		return strings.TrimSpace(text) == ""
	}
	j, err := edit.ParseJSON(text)
	return err == nil && (j.Only(seedsOf(f.path)) || j.Only(nil))
}

// seedsOf returns the initial members of a new file with this name.
func seedsOf(path string) edit.Object {
	for _, r := range recipes() {
		for _, t := range slices.Concat(r.Servers.Project, r.Servers.User) {
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
