package uses

// Rule is what one side did that the other does not expect.
type Rule string

// The rules.
const (
	Removed    Rule = "removed"    // a definition that the other begins to use
	Renamed    Rule = "renamed"    // the same, and it is known what it is called now
	MovedFile  Rule = "file"       // a file that the other begins to name was removed or moved
	Dropped    Rule = "dependency" // a dependency that the other begins to import
	Parameters Rule = "parameters" // a definition that the other begins to call takes others
	Duplicate  Rule = "duplicate"  // both added the same definition to one scope
	Taken      Rule = "number"     // both took a number or an address that must be unique
)

// Finding is one thing that two sides do which git merges and which may break.
type Finding struct {
	Rule    Rule
	Certain bool
	Swapped bool   // it is the first side that removed or changed, and the second that uses
	Name    string // of the definition, file or dependency; the number
	What    string // what Name is, in a word: function, file, dependency, migration
	To      string // what it is called now, or the parameters that it takes
	File    string // where the user of it stands
	Line    int
	OldFile string // where the definition stood in the merge base, or stands now
	OldLine int
}

// Tree answers for everything that a side did not change.
type Tree interface {
	// Holding returns for each of the names the files of the side that it did not change and that hold it as a word,
	// as they are in the merge base.
	Holding(names []string) (map[string][]string, error)
	// Text returns such a file.
	Text(path string) (string, error)
	// Paths returns all files of the side.
	Paths() ([]string, error)
}
