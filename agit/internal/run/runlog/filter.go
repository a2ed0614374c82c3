package runlog

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/term"
)

// Bounds of a line. Of a longer one its beginning is kept. What is held back for the rest of a line is longer than what is
// kept by more than any secret, so that none is cut where it would not be seen.
const (
	keptOfLine     = 32 << 10
	heldBack       = keptOfLine + 16<<10
	shortestHidden = 8
	longestKey     = 400     // lines of a private key, after which it was something else
	readAgain      = 1 << 10 // bytes of the lines before, in which the name of a secret may stand
)

// filter makes of what a program prints whole lines that may be stored and shown.
type filter struct {
	hidden  []string
	pending []byte // the line under way
	dropped int    // bytes of it that were left out
	key     int    // lines of a private key that began in lines before, counted
	before  string // the lines before, as far as they are read again
}

// add takes what was printed and returns the lines that are whole.
func (f *filter) add(p []byte) []byte {
	var out []byte
	for len(p) > 0 {
		end := bytes.LastIndexByte(p, '\n') + 1
		if end == 0 || len(f.pending)+end > heldBack || f.dropped > 0 {
			end = bytes.IndexByte(p, '\n') + 1 // line by line
		}
		chunk := p[:end]
		if end == 0 {
			chunk = p
		}
		p = p[len(chunk):]
		room := max(0, heldBack-len(f.pending))
		if len(chunk) > room {
			f.dropped += len(chunk) - room
			chunk = chunk[:room]
		}
		f.pending = append(f.pending, chunk...)
		if end > 0 {
			out = append(out, f.flush()...)
		}
	}
	return out
}

// flush ends the line under way.
func (f *filter) flush() []byte {
	if len(f.pending) == 0 {
		return nil
	}
	text := string(f.pending)
	dropped := f.dropped
	f.pending, f.dropped = f.pending[:0], 0
	if dropped > 0 {
		dropped += len(text)
	}
	text = f.clean(text)
	if dropped > 0 {
		text = cutLine(text, keptOfLine)
		text = fmt.Sprintf("%s [… cut, %d bytes]\n", strings.TrimRight(text, "\n"), dropped)
	}
	return []byte(text)
}

// clean takes terminal sequences and secrets out of lines. The sequences go first: they could stand in a secret. What is left
// has only printable characters, tabs and line feeds, and ends with a line feed.
func (f *filter) clean(text string) string {
	text = Plain(text)
	for _, secret := range f.hidden {
		text = strings.ReplaceAll(text, secret, redact.Mark+"environment]")
	}
	text = f.withoutKey(text)
	if text == "" {
		return ""
	}
	text = events(text)
	clean := redact.LinesAfter(f.before, text)
	f.before += text
	if n := len(f.before) - readAgain; n > 0 {
		n += strings.IndexByte(f.before[n:], '\n') + 1
		f.before = strings.Clone(f.before[n:])
	}
	text = clean
	if len(text) > heldBack { // what was escaped takes more room
		text = cutLine(text, heldBack)
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// events takes secrets out of the events of clients, whose texts are escaped.
func events(text string) string {
	if !strings.Contains(text, `{"`) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "{") {
			clean, _ := redact.JSON([]byte(line))
			line = string(clean)
		}
		b.WriteString(line)
	}
	return b.String()
}

// lazily is an expression that is compiled when it is first asked for: every command
// links this package, and few write a log.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

var (
	keyBegins = lazily(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`)
	// keyLine is a line of a private key or of its header, behind what diffs and listings put before lines.
	keyLine = lazily(`^[\s\d|:>→+-]*(?:[A-Za-z0-9+/=]*|[A-Z][A-Za-z-]+: .*)\s*$`)
	keyEnds = lazily(`-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`)
)

// withoutKey takes out the lines of a private key that began in earlier ones, and notes whether one begins here and does not
// end.
func (f *filter) withoutKey(text string) string {
	for f.key > 0 && text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		f.key++
		end := keyEnds().FindStringIndex(line)
		switch {
		case end != nil:
			f.key = 0
			if rest = line[end[1]:] + "\n" + rest; strings.TrimSpace(rest) == "" {
				rest = ""
			}
		case f.key > longestKey || !keyLine().MatchString(line):
			f.key = 0
			rest = text
		}
		text = rest
	}
	if begins := keyBegins().FindAllStringIndex(text, -1); begins != nil {
		last := begins[len(begins)-1]
		if !keyEnds().MatchString(text[last[1]:]) {
			f.key = 1
		}
	}
	return text
}

// sequences are what drives a terminal: CSI, then OSC, DCS and their like up to their end, then escapes of two bytes.
var sequences = lazily("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-Z\\\\^-~]")

// Plain takes out terminal sequences and shows other control characters as escapes. Of a line that was rewritten with carriage
// returns the last state is kept.
func Plain(text string) string {
	if strings.IndexByte(text, 0x1b) >= 0 {
		text = sequences().ReplaceAllString(text, "")
	}
	if strings.IndexByte(text, '\r') >= 0 {
		var b strings.Builder
		for line := range strings.Lines(text) {
			body := strings.TrimRight(line, "\r\n")
			b.WriteString(body[strings.LastIndexByte(body, '\r')+1:])
			if strings.HasSuffix(line, "\n") {
				b.WriteByte('\n')
			}
		}
		text = b.String()
	}
	return term.EscapeText(text)
}

// cutLine cuts a text before limit, at the end of a character.
func cutLine(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
