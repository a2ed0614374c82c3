package runlog

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/term"
	"github.com/agit-suite/agit/shared/text"
)

// Bounds of a line. Only the beginning of a longer line is kept. The filter holds back more of an unfinished line than it keeps, by
// more than any secret's length, so that a secret is never split unseen.
const (
	keptOfLine     = 32 << 10
	heldBack       = keptOfLine + 16<<10
	shortestHidden = 8
	longestKey     = 400     // lines of a private key; beyond that it is something else
	readAgain      = 1 << 10 // bytes of earlier lines that may hold the name of a secret
)

// filter turns a program's output into whole lines that are safe to store and show.
type filter struct {
	hidden  []string
	pending []byte // the unfinished line
	dropped int    // bytes of it that were dropped
	key     int    // number of lines so far of a private key that has not ended
	before  string // the earlier lines that are read again
}

// add takes output and returns the finished lines.
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

// flush ends the unfinished line.
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

// clean removes terminal sequences and secrets from lines. Sequences are removed first, because they could stand inside a secret. The
// result has only printable characters, tabs and line feeds, and ends with a line feed.
func (f *filter) clean(text string) string {
	text = Plain(text)
	for _, secret := range f.hidden {
		text = strings.ReplaceAll(text, secret, redact.Marked("environment"))
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
	if len(text) > heldBack { // escapes take more room
		text = cutLine(text, heldBack)
	}
	return strings.TrimSuffix(text, "\n") + "\n"
}

// events removes secrets from the events of clients, whose texts are escaped.
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

var (
	keyBegins = text.Pattern{Expr: `-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`}
	// keyLine is a line of a private key or of its header, after the prefixes of diffs and listings.
	keyLine = text.Pattern{Expr: `^[\s\d|:>→+-]*(?:[A-Za-z0-9+/=]*|[A-Z][A-Za-z-]+: .*)\s*$`}
	keyEnds = text.Pattern{Expr: `-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----`}
)

// withoutKey removes the lines of a private key that began in earlier lines, and records whether one begins here and does not end.
func (f *filter) withoutKey(text string) string {
	for f.key > 0 && text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		f.key++
		end := keyEnds.Regexp().FindStringIndex(line)
		switch {
		case end != nil:
			f.key = 0
			if rest = line[end[1]:] + "\n" + rest; strings.TrimSpace(rest) == "" {
				rest = ""
			}
		case f.key > longestKey || !keyLine.Regexp().MatchString(line):
			f.key = 0
			rest = text
		}
		text = rest
	}
	if begins := keyBegins.Regexp().FindAllStringIndex(text, -1); begins != nil {
		last := begins[len(begins)-1]
		if !keyEnds.Regexp().MatchString(text[last[1]:]) {
			f.key = 1
		}
	}
	return text
}

// sequences are terminal control sequences: CSI; then OSC, DCS and similar ones up to their end; then two-byte escapes.
var sequences = text.Pattern{Expr: "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-Z\\\\^-~]"}

// Plain removes terminal sequences and shows other control characters as escapes. Only the last state of a line rewritten with carriage
// returns is kept.
func Plain(text string) string {
	if strings.IndexByte(text, 0x1b) >= 0 {
		text = sequences.Regexp().ReplaceAllString(text, "")
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

// cutLine cuts a text to at most limit bytes, at a character boundary.
func cutLine(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "")
}
