package uses

// Rule is the kind of a change that the other side does not expect.
type Rule string

// The rules.
const (
	Removed    Rule = "removed"    // a definition that the other begins to use
	Renamed    Rule = "renamed"    // a definition with a known new name, which the other begins to use by the old one
	MovedFile  Rule = "file"       // a file that the other begins to name was removed or moved
	Dropped    Rule = "dependency" // a dependency that the other begins to import
	Parameters Rule = "parameters" // the parameters of a definition that the other begins to call
	Duplicate  Rule = "duplicate"  // both added the same definition to one scope
	Taken      Rule = "number"     // both took a number or an address that must be unique
)

// Finding is one pair of changes by two sides that git merges and that may break.
type Finding struct {
	Rule    Rule
	Certain bool
	Swapped bool   // the first side removed or changed, and the second uses
	Name    string // of the definition, file or dependency; or the number
	What    string // the kind of Name, in a word: function, file, dependency, migration
	To      string // its new name, or the parameters that it takes
	File    string // where the user of it stands
	Line    int
	OldFile string // where the definition was in the merge base, or is now
	OldLine int
}

// Tree reads the files that a side did not change.
type Tree interface {
	// Holding returns for each name the files that hold it as a word, as they are in the merge base. It leaves out files that the side
	// changed.
	Holding(names []string) (map[string][]string, error)
	// Text returns the text of an unchanged file.
	Text(path string) (string, error)
	// Paths returns all files of the side.
	Paths() ([]string, error)
}
