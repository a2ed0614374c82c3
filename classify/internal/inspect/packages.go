package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/filetree"
	"github.com/agit-suite/agit/classify/internal/framework"
	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/classify/internal/manifest"
)

// declaredPackages returns the packages of a monorepo without the root: the folders that workspaces name, and those with manifests that no
// workspace names (projects side by side without a manifest at the root, and two or more below one).
func (f *Folder) declaredPackages(read []*manifest.Manifest) []manifest.Package {
	all := slices.DeleteFunc(manifest.Packages(read), func(p manifest.Package) bool {
		return p.Dir == "." || p.Dir == "" || len(p.Manifests) == 0 && !f.holds(p.Dir)
	})
	if len(read) == 0 {
		return all
	}
	if len(all) > 0 || !strings.Contains(read[0].Path, "/") {
		return unnamed(all, read)
	}
	for _, m := range read {
		dir := path.Dir(m.Path)
		i := slices.IndexFunc(all, func(p manifest.Package) bool { return p.Dir == dir || strings.HasPrefix(dir, p.Dir+"/") })
		if i < 0 {
			i, all = len(all), append(all, manifest.Package{Dir: dir, Ecosystem: m.Ecosystem})
		}
		if all[i].Dir == dir {
			all[i].Manifests = append(all[i].Manifests, m)
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// holds reports whether a folder has files: a build may name one that is created later.
func (f *Folder) holds(dir string) bool {
	return slices.ContainsFunc(f.tree.Files, func(file filetree.File) bool { return strings.HasPrefix(file.Path, dir+"/") })
}

// unnamed adds the packages that no workspace names.
func unnamed(all []manifest.Package, read []*manifest.Manifest) []manifest.Package {
	workspace := map[manifest.Ecosystem]bool{manifest.Helm: true} // a chart beside a program only installs it
	taken := map[string]bool{}
	for _, m := range read {
		workspace[m.Ecosystem] = workspace[m.Ecosystem] || m.Workspace
	}
	for _, p := range all {
		taken[p.Dir] = true
	}
	inside := func(dir string) bool {
		for ; dir != "."; dir = path.Dir(dir) {
			if taken[dir] {
				return true
			}
		}
		return false
	}
	var more []manifest.Package
	for _, m := range read {
		dir := path.Dir(m.Path)
		if m.Name == "" || m.Kind.Lists() || m.Kind == manifest.Opam && path.Base(dir) == "opam" || m.Kind == manifest.Rockspec || m.Kind == manifest.ErlangApp || dir == "." || strings.Count(dir, "/") > 1 || workspace[m.Ecosystem] && strings.Contains(dir, "/") && !amongCharts(m) || framework.Beside(dir) || filetree.InAssets(dir) || inside(dir) {
			continue
		}
		taken[dir] = true
		more = append(more, manifest.Package{Dir: dir, Name: m.Name, Ecosystem: m.Ecosystem, Manifests: []*manifest.Manifest{m}})
	}
	if len(all)+len(more) < 2 && !(len(more) == 1 && amongCharts(more[0].Manifests[0])) {
		return all
	}
	return append(all, more...)
}

// amongCharts reports whether a chart is in a folder for charts: then it is released by itself.
func amongCharts(m *manifest.Manifest) bool {
	above := path.Dir(path.Dir(m.Path))
	return m.Ecosystem == manifest.Helm && (above == "charts" || above == "helm")
}

// withTests adds the projects in folders of tests and samples that a solution lists, and sorts the packages: they are packages, but do not
// affect the fields of the whole.
func (f *Folder) withTests(all []manifest.Package, read []*manifest.Manifest) []manifest.Package {
	for _, m := range read {
		if m.Kind != manifest.Solution {
			continue
		}
		for _, member := range m.Members {
			dir := path.Join(path.Dir(m.Path), member)
			if slices.Contains(f.beside, dir) && !slices.ContainsFunc(all, func(p manifest.Package) bool { return p.Dir == dir }) {
				all = append(all, manifest.Package{Dir: dir, Name: path.Base(dir), Ecosystem: m.Ecosystem, By: m.Path})
			}
		}
	}
	slices.SortFunc(all, func(a, b manifest.Package) int { return strings.Compare(a.Dir, b.Dir) })
	return all
}

// filesOf returns the files of each package, with paths in it, in one pass, since a monorepo may have thousands of both.
func (f *Folder) filesOf(packages []manifest.Package) map[string][]filetree.File {
	if len(packages) == 0 {
		return nil
	}
	all := make(map[string][]filetree.File, len(packages))
	for _, p := range packages {
		all[p.Dir] = nil
	}
	for _, file := range f.tree.Files {
		for i, c := range file.Path {
			if c != '/' {
				continue
			}
			if own, ok := all[file.Path[:i]]; ok {
				inner := file
				inner.Path = file.Path[i+1:]
				all[file.Path[:i]] = append(own, inner)
			}
		}
	}
	for _, own := range all {
		ofItself(own)
	}
	return all
}

// ofItself turns the files of a package that is a sample or a test as a whole into sources: within the package they are the matter.
func ofItself(files []filetree.File) {
	beside := func(f filetree.File) bool { return f.Role == filetree.Sample || f.Role == filetree.Test }
	if !slices.ContainsFunc(files, beside) || slices.ContainsFunc(files, func(f filetree.File) bool {
		_, kind := language.OfName(path.Base(f.Path))
		return f.Role == filetree.Source && kind == language.Programming
	}) {
		return
	}
	for i := range files {
		if beside(files[i]) {
			files[i].Role = filetree.Source
		}
	}
}
