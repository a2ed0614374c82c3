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

// where is the kind of text that contains a reference.
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
	// Text is the reference as written, Target what it names: a path, a symbol, a target.
	Text, Target string
	// Anchor is what follows a link's #, Tool the program of a command.
	Anchor, Tool string
	Line         int
	// Start and End are the position of Target in the text, in bytes; equal when the text writes it in another form.
	Start, End int
	// Base is the folder that a command changed to. Parent is the folder of an entry of a drawn tree, and the folder of a tool's command.
	Base, Parent string
	// Around is the sentence, the row or the line around the reference, Heading the headings above it.
	Around, Heading string

	in where
}
