package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/agentsmd"
	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
)

// leastParts is the number of packages from which the packages with a framework are parts of a whole.
const leastParts = 3

// ofParts removes frameworks that only some of several packages declare from the candidates for the main one: samples side by side, parts
// in as many languages, packages beside the one with the project's name, and a client beside more servers. They stay in the list of
// frameworks.
func ofParts(found []framework.Match, p part, lang string, collection bool) []framework.Match {
	folders := ownFolders(p)
	if len(folders) < leastParts {
		return found
	}
	images := imagesOf(p)
	namesake := slices.IndexFunc(folders, func(dir string) bool { return agentsmd.SameName(path.Base(dir), p.name) })
	for i := range found {
		m := &found[i]
		if !m.Main || m.AtRoot() {
			continue
		}
		declares := func(dir string) bool {
			return m.DeclaredIn(func(of string) bool { return of == dir || strings.HasPrefix(of, dir+"/") })
		}
		why := ""
		switch {
		case collection:
			why = "the project is a collection of samples"
		case lang == language.Unknown:
			why = "one of several languages is written with it"
		case len(images) >= 2*leastParts && declarers(m, images)*3 < len(images):
			why = "one of several services is"
		case namesake >= 0 && !declares(folders[namesake]):
			why = "the package of the project's name is not"
		case outnumbered(found, m, folders):
			why = "more packages are built on another one"
		}
		if why != "" {
			m.Main = false
			m.Why = append(m.Why, why)
		}
	}
	return found
}

// outnumbered reports whether at least three packages, and more than twice as many, use another framework of the same ecosystem.
func outnumbered(found []framework.Match, m *framework.Match, folders []string) bool {
	own := declarers(m, folders)
	return slices.ContainsFunc(found, func(other framework.Match) bool {
		n := declarers(&other, folders)
		return other.Name != m.Name && other.Main && other.Ecosystem == m.Ecosystem && other.Kind <= framework.Framework && n >= leastParts && n > 2*own && sure(other.Confidence) != language.Low
	})
}

// declarers counts the folders that declare a match.
func declarers(m *framework.Match, folders []string) (n int) {
	for _, dir := range folders {
		if m.DeclaredIn(func(of string) bool { return of == dir }) {
			n++
		}
	}
	return n
}

// ownFolders returns the folders below the root with a manifest of the matter.
func ownFolders(p part) (all []string) {
	for _, m := range p.manifests {
		if dir := path.Dir(m.Path); dir != "." && !framework.Beside(dir) && !slices.Contains(all, dir) {
			all = append(all, dir)
		}
	}
	return all
}

// imagesOf returns the folders that are each built into an image of their own.
func imagesOf(p part) (all []string) {
	for i := range p.files {
		if dir := path.Dir(p.files[i].Path); path.Base(p.files[i].Path) == "Dockerfile" && dir != "." && !framework.Beside(dir) {
			all = append(all, dir)
		}
	}
	return all
}

// ofSamples reports whether a repository is a collection of samples, by its name or description.
func ofSamples(p part, description string) bool {
	for i, word := range strings.Fields(strings.ToLower(description)) {
		switch strings.Trim(word, ".,:;()") {
		case "samples", "examples", "quickstarts", "demos", "tutorials":
			if i < 4 || strings.Contains(strings.ToLower(description), "collection of") {
				return true
			}
		case "that", "which", "with", "for", "including":
			return false
		}
	}
	words := strings.FieldsFunc(strings.ToLower(p.name), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	for i, word := range words {
		switch word {
		case "samples", "examples", "demos", "tutorials", "recipes", "cookbook", "snippets", "exercises", "katas", "quickstarts":
			return true
		case "patterns", "templates", "starters", "experiments", "playground", "projects":
			if i == len(words)-1 {
				return true
			}
		}
	}
	return false
}

// services returns folders side by side that are each built into an image of their own: for a part in a language without workspaces this is
// the only evidence.
func (f *Folder) services(taken []manifest.Package, read []*manifest.Manifest) []manifest.Package {
	beside := map[string][]string{} // by the parent folder
	for i := range f.tree.Files {
		file := &f.tree.Files[i]
		dir := path.Dir(file.Path)
		if path.Base(file.Path) != "Dockerfile" || dir == "." || strings.Count(dir, "/") > 2 || filetree.InAssets(dir) || framework.Beside(dir) {
			continue
		}
		beside[path.Dir(dir)] = append(beside[path.Dir(dir)], dir)
	}
	var more []manifest.Package
	for _, dirs := range beside {
		if len(dirs) < leastParts {
			continue
		}
		for _, dir := range dirs {
			if slices.ContainsFunc(taken, func(p manifest.Package) bool {
				return p.Dir == dir || strings.HasPrefix(p.Dir, dir+"/") || strings.HasPrefix(dir, p.Dir+"/")
			}) || !f.holdsSources(dir) {
				continue
			}
			one := manifest.Package{Dir: dir}
			for _, m := range read {
				if path.Dir(m.Path) == dir {
					one.Manifests = append(one.Manifests, m)
					one.Ecosystem = m.Ecosystem
				}
			}
			more = append(more, one)
		}
	}
	return more
}

// holdsSources reports whether a folder contains a program, not only the files for an image.
func (f *Folder) holdsSources(dir string) bool {
	return slices.ContainsFunc(f.tree.Files, func(file filetree.File) bool {
		base := path.Base(file.Path)
		_, kind := language.OfName(base)
		return strings.HasPrefix(file.Path, dir+"/") && base != "Dockerfile" && kind == language.Programming && file.Role == filetree.Source
	})
}
