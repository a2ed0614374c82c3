package instruct

import (
	"bytes"
	"sort"
	"strings"

	"github.com/agit-suite/agit/shared/text"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	gmtext "github.com/yuin/goldmark/text"
)

// reading is one text that references are read from.
type reading struct {
	src      []byte
	starts   []int // the offsets of the lines
	imports  bool  // @path imports another file
	headings []heading
	found    []Reference
}

type heading struct {
	level int
	text  string
}

// Parse returns the references of a Markdown text. With imports, @path in plain text imports another file, as in CLAUDE.md.
func Parse(src []byte, imports bool) []Reference {
	r := &reading{src: withoutMarks(src), imports: imports, starts: []int{0}}
	for i, c := range r.src {
		if c == '\n' {
			r.starts = append(r.starts, i+1)
		}
	}
	doc := goldmark.New().Parser().Parse(gmtext.NewReader(r.src))
	r.blocks(doc)
	return r.found
}

var (
	generated = text.Pattern{Expr: `(?s)<claude-mem-context>.*?</claude-mem-context>|<!--.*?-->`}
	ownTag    = text.Pattern{Expr: `(?m)^[ \t]*</?[A-Za-z][\w-]*(?:[ \t][^<>\n]*)?>[ \t]*$`}
)

// withoutMarks blanks the parts that no person wrote for agents: front matter, comments, and blocks that programs insert. Tags on lines of
// their own are blanked too, but the text between them is kept. Every byte keeps its place.
func withoutMarks(src []byte) []byte {
	out := bytes.Clone(src)
	if bytes.HasPrefix(out, []byte("---\n")) || bytes.HasPrefix(out, []byte("---\r\n")) {
		if end := bytes.Index(out[3:], []byte("\n---")); end >= 0 {
			blank(out[:3+end+4])
		}
	}
	for _, at := range generated.Regexp().FindAllIndex(out, -1) {
		blank(out[at[0]:at[1]])
	}
	for _, at := range ownTag.Regexp().FindAllIndex(out, -1) {
		blank(out[at[0]:at[1]])
	}
	return out
}

func blank(part []byte) {
	for i, c := range part {
		if c != '\n' && c != '\r' {
			part[i] = ' '
		}
	}
}

func (r *reading) blocks(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Heading:
			for len(r.headings) > 0 && r.headings[len(r.headings)-1].level >= c.Level {
				r.headings = r.headings[:len(r.headings)-1]
			}
			r.inline(c)
			r.headings = append(r.headings, heading{c.Level, string(c.Lines().Value(r.src))})
		case *ast.FencedCodeBlock:
			r.code(string(c.Language(r.src)), c.Lines())
		case *ast.CodeBlock:
			r.code("", c.Lines())
		case *ast.HTMLBlock:
		default:
			if c.Type() == ast.TypeBlock && c.Lines().Len() > 0 && c.FirstChild() != nil && c.FirstChild().Type() == ast.TypeInline {
				r.inline(c)
			} else {
				r.blocks(c)
			}
		}
	}
}

// under returns the headings above, from the outermost on.
func (r *reading) under() string {
	names := make([]string, len(r.headings))
	for i, h := range r.headings {
		names[i] = h.text
	}
	return strings.Join(names, " / ")
}

// add notes a reference.
func (r *reading) add(ref Reference) {
	ref.Line = sort.SearchInts(r.starts, ref.Start+1) // counted from 1
	if ref.Heading == "" {
		ref.Heading = r.under()
	}
	r.found = append(r.found, ref)
}

// sentence returns the text around a part of a block, up to the end of a sentence, table row or list item on each side.
func sentence(block string, start, end int) string {
	from, to := 0, len(block)
	for i := start - 1; i > 0; i-- {
		if ends(block, i-1) || block[i] == '\n' && strings.HasPrefix(strings.TrimSpace(block[i:]), "|") {
			from = i
			break
		}
	}
	for i := end; i < len(block)-1; i++ {
		if ends(block, i) || block[i] == '\n' && strings.HasPrefix(strings.TrimSpace(block[i:]), "|") {
			to = i + 1
			break
		}
	}
	return strings.TrimSpace(block[from:to])
}

// ends reports whether a sentence ends at i, before a space.
func ends(block string, i int) bool {
	return (block[i] == '.' || block[i] == '!' || block[i] == '?' || block[i] == ';') && i+1 < len(block) &&
		(block[i+1] == ' ' || block[i+1] == '\n') && (i < 3 || block[i-3:i+1] != "e.g." && block[i-3:i+1] != "i.e.")
}

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
