package term

// Style is how a piece of text looks. Styles only repeat what the words already express: a reader without colour loses nothing.
type Style string

// The styles in use. Their values are the parameters of an SGR sequence.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Styles holds the styles of cells by their text. Other cells are plain.
type Styles map[string]Style

// Of returns the style of a cell.
func (s Styles) Of(cell string) Style { return s[cell] }

// UseColor decides, once for the run, whether Out and Err are coloured.
func (s *Streams) UseColor(noColor bool, getenv func(string) string) {
	s.dumb = getenv("TERM") == "dumb"
	s.outColor = wantsColor(noColor, getenv, s.OutTTY)
	s.errColor = wantsColor(noColor, getenv, s.ErrTTY)
}

// wantsColor is the suite's one colour rule, first match wins: --no-color,
// NO_COLOR, CLICOLOR_FORCE or FORCE_COLOR, TERM=dumb, and whether the stream is
// a terminal.
func wantsColor(noColor bool, getenv func(string) string, tty bool) bool {
	switch {
	case noColor, getenv("NO_COLOR") != "":
		return false
	case forced(getenv("CLICOLOR_FORCE")), forced(getenv("FORCE_COLOR")):
		return true
	case getenv("TERM") == "dumb":
		return false
	}
	return tty
}

func forced(value string) bool { return value != "" && value != "0" }

// Painted is text that is ready for a terminal: escaped and styled. It is a type of its own so that it is not escaped a second time.
type Painted string

// Paint escapes text and styles it for Out, without the style if Out has no colour.
func (s *Streams) Paint(style Style, text string) Painted {
	return paint(s.outColor, style, text)
}

// Plain escapes text that stands beside painted text.
func (s *Streams) Plain(text string) Painted { return s.Paint(Plain, text) }

// PaintErr is Paint for Err.
func (s *Streams) PaintErr(style Style, text string) Painted {
	return paint(s.errColor, style, text)
}

func paint(colored bool, style Style, text string) Painted {
	text = Escape(text)
	if !colored || style == Plain || text == "" {
		return Painted(text)
	}
	return Painted("\x1b[" + string(style) + "m" + text + "\x1b[0m")
}
