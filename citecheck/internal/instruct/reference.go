package instruct

// The kinds of references.
const (
	Path    = "path"
	Link    = "link"
	Import  = "import"
	Command = "command"
	Symbol  = "symbol"
	Place   = "place"
	File    = "file" // an instruction file itself
)

// where says in what a reference stands.
type where int

const (
	inCode  where = iota // a code span
	inBlock              // a line of a code block
	inTree               // a drawing of folders
	inProse              // plain text
	inLink               // the destination of a link
)

// Reference is one thing in the repository that a text names.
type Reference struct {
	Kind string
	// Text is what stands in the text, Target what it names: a path, a symbol, a target.
	Text, Target string
	// Anchor is what follows a link's #, Tool the program of a command.
	Anchor, Tool string
	Line         int
	// Start and End are where Target stands in the text, in bytes; equal when it
	// stands there in another form.
	Start, End int
	// Base is the folder that a command changed to, Parent of a drawn one the folder
	// that it is drawn in.
	Base, Parent string
	// Around is the sentence, the row or the line that it stands in, Heading what it
	// stands under.
	Around, Heading string

	in where
}
