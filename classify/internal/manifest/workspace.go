package manifest

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// A Package is one package of a project: a folder that a workspace lists, or the root.
type Package struct {
	Dir       string // slash-separated, relative to the root; "." for the root itself
	Name      string // as its manifest names it, else the folder's name
	Ecosystem Ecosystem
	// By is the path of the manifest whose workspace lists it, "" for the root.
	By        string
	Manifests []*Manifest // those in Dir; none for a Gradle project whose build is in the root's script
}

// The bounds for the matches of globs in a hostile tree, and for the attempts on one folder; large monorepos have some hundred packages.
const (
	maxPackages = 5_000
	maxTries    = 2_000_000
)

// Packages returns the packages of a monorepo, root first, then by folder: the members of npm, pnpm, yarn, Nx, Angular, Cargo, Go, uv,
// poetry, Dart and Melos workspaces, Maven modules, Gradle includes, sbt projects, .NET solutions, Elixir umbrellas and Composer path
// repositories found among the manifests. A project without workspaces has only the root.
func Packages(manifests []*Manifest) []Package {
	byDir := map[string][]*Manifest{}
	for _, m := range manifests {
		dir := path.Dir(m.Path)
		byDir[dir] = append(byDir[dir], m)
	}
	found := map[string]Package{".": newPackage(".", nil, byDir["."])}
	tries := 0
	for _, m := range manifests {
		if len(m.Members) == 0 {
			continue
		}
		for dir := range memberDirs(m, byDir, &tries) {
			if _, ok := found[dir]; !ok && len(found) < maxPackages {
				found[dir] = newPackage(dir, m, byDir[dir])
			}
		}
	}
	root := found["."]
	delete(found, ".")
	others := slices.SortedFunc(maps.Values(found), func(a, b Package) int { return strings.Compare(a.Dir, b.Dir) })
	return append([]Package{root}, others...)
}

func newPackage(dir string, by *Manifest, manifests []*Manifest) Package {
	p := Package{Dir: dir, Manifests: manifests}
	if by != nil {
		p.By, p.Ecosystem = by.Path, by.Ecosystem
	}
	for _, m := range manifests {
		p.Ecosystem = cmp.Or(p.Ecosystem, m.Ecosystem)
		if m.Ecosystem == p.Ecosystem {
			p.Name = cmp.Or(p.Name, m.Name)
		}
	}
	if p.Name == "" && dir != "." {
		p.Name = path.Base(dir)
	}
	return p
}

// memberDirs returns the folders that a workspace's globs match: those with a manifest of its ecosystem, and the projects of Gradle, sbt,
// opam and Angular, which need none.
func memberDirs(m *Manifest, byDir map[string][]*Manifest, tries *int) map[string]bool {
	base := path.Dir(m.Path)
	dirs := map[string]bool{}
	for _, glob := range m.Members {
		glob, exclude := strings.CutPrefix(glob, "!")
		glob = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(glob, `\`, "/"), "./"), "/"), "/package.json")
		if glob == "" || path.IsAbs(glob) || len(glob) > 1000 {
			continue
		}
		if !strings.ContainsAny(glob, "*?[{") {
			dir := path.Join(base, glob)
			switch {
			case !fs.ValidPath(dir) || dir == base:
			case exclude:
				delete(dirs, dir)
			case hasEcosystem(byDir[dir], m.Ecosystem) || (m.Kind == SettingsGradle || m.Kind == BuildSBT || m.Kind == Opam || m.Kind == AngularJSON) && len(dirs) < maxPackages:
				dirs[dir] = true
			}
			continue
		}
		pattern := path.Join(base, glob)
		if *tries += len(byDir); *tries > maxTries {
			continue
		}
		for dir, manifests := range byDir {
			if dir == base || !hasEcosystem(manifests, m.Ecosystem) || !globMatch(pattern, dir) {
				continue
			}
			if exclude {
				delete(dirs, dir)
			} else if !strings.Contains(dir, "node_modules/") {
				dirs[dir] = true
			}
		}
	}
	return dirs
}

func hasEcosystem(manifests []*Manifest, e Ecosystem) bool {
	return slices.ContainsFunc(manifests, func(m *Manifest) bool { return m.Ecosystem == e })
}

// globMatch matches a folder against a workspace glob: path.Match's patterns segment by segment, "**" for any number of segments,
// and {a,b} for alternatives.
func globMatch(pattern, dir string) bool {
	return slices.ContainsFunc(braces(pattern, 64), func(p string) bool {
		return matchSegments(strings.Split(p, "/"), strings.Split(dir, "/"))
	})
}

// braces expands {a,b}, up to a number of patterns.
func braces(pattern string, limit int) []string {
	before, rest, _ := strings.Cut(pattern, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !closed {
		return []string{pattern}
	}
	var all []string
	for alternative := range strings.SplitSeq(inside, ",") {
		for _, rest := range braces(after, limit) {
			if all = append(all, before+alternative+rest); len(all) >= limit {
				return all
			}
		}
	}
	return all
}

// matchSegments keeps, for each number of matched segments, whether the pattern so far can match them, so that the time is at most the
// product of the lengths of pattern and path.
func matchSegments(pattern, dir []string) bool {
	can := make([]bool, len(dir)+1)
	can[0] = true
	for _, p := range pattern {
		next := make([]bool, len(dir)+1)
		if p == "**" {
			reached := false
			for i := range can {
				reached = reached || can[i]
				next[i] = reached
			}
		} else {
			for i := range dir {
				if can[i] {
					ok, err := path.Match(p, dir[i])
					next[i+1] = ok && err == nil
				}
			}
		}
		can = next
	}
	return can[len(dir)]
}
