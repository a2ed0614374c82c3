// Package manifest reads what a project declares about itself: name, description,
// direct dependencies, and the packages of a monorepo, from the manifest files of
// seven ecosystems. Lock files are no manifests.
//
// It reads only through the Source it is given, starts no process, and never
// fails: what is wrong with a file is in its Problems. It knows nothing of
// frameworks and decides no language; it only passes on what a manifest says.
// Its functions keep no state and are safe for concurrent use.
package manifest

// The ecosystems, as stored beside each dependency.
const (
	NPM      = "npm"
	Composer = "composer"
	Cargo    = "cargo"
	PyPI     = "pypi"
	Go       = "go"
	Maven    = "maven" // Gradle's too: group:artifact
	RubyGems = "rubygems"
)

// Source reads the files of one project folder. Paths are relative to it, with
// slashes. It refuses what is outside, too large, or no regular file.
type Source interface {
	ReadFile(path string) ([]byte, error)
}

// Group says what a dependency is for.
type Group string

// The groups.
const (
	Runtime  Group = ""
	Dev      Group = "dev"
	Build    Group = "build"
	Test     Group = "test"
	Optional Group = "optional"
	Peer     Group = "peer"
)

// Dependency is one that a manifest declares, under its normalised real name.
type Dependency struct {
	Ecosystem string
	Name      string
	Group     Group
}

// Manifest is what one file says.
type Manifest struct {
	Path        string // relative to the project's folder, with slashes
	Kind        string // its type, as package.json, requirements.txt, build.gradle
	Ecosystem   string
	Name        string // of the project or package, "" when it does not say
	Description string
	// Dependencies are declared ones only, each name once a group, sorted.
	Dependencies []Dependency
	// Languages are those the manifest itself speaks for, lower case: kotlin for
	// a Kotlin plugin, typescript for a typescript dependency. Hints, no verdict.
	Languages []string
	// Workspace says that the file is the root of several packages; Members and
	// Excluded are their folders or patterns, relative to the file's folder.
	Workspace bool
	Members   []string
	Excluded  []string
	// Problems are sentences about what could not be read in it.
	Problems []string
}

// Package is one package of a monorepo.
type Package struct {
	Path      string   // its folder, relative to the project's; "" is the project itself
	Name      string   // as its manifest says, else the folder's
	Manifests []string // paths of the manifests in it that make it one
	From      string   // path of the workspace manifest that names it
}
