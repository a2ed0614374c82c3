package edit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Block is a part of a Markdown file between marks. The first mark carries a checksum of what was written, which distinguishes an edit by
// hand from an old version.
type Block struct {
	Inner  string // with line feeds, without the lines of the marks
	Edited bool   // Inner differs from what was written
	start  int    // offset of the line of the first mark
	end    int    // end of the second mark, without its line end
}

const blockEnd = "<!-- agit:end -->"

// The marks are compiled on first use: most commands never need them.
var (
	startMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)(?:^|\A\x{feff})<!-- agit:start(?: v=\d+)?(?: sha=([0-9a-f]{8}))? -->[ \t]*\r?$`)
	})
	endMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^<!-- agit:end -->[ \t]*\r?$`)
	})
)

// FindBlock returns the block of a text, nil when there is none. An unpaired mark, or more than one block, is an error.
func FindBlock(text string) (*Block, error) {
	starts, ends := startMark().FindAllStringSubmatchIndex(text, -1), endMark().FindAllStringIndex(text, -1)
	switch {
	case len(starts) == 0 && len(ends) == 0:
		return nil, nil
	case len(starts) != 1 || len(ends) != 1:
		return nil, fmt.Errorf("agit:start and agit:end must stand in it once each, not %d and %d times", len(starts), len(ends))
	case ends[0][0] < starts[0][1]:
		return nil, errors.New("agit:end stands in front of agit:start")
	}
	start := starts[0][0] + len(bom)*strings.Count(text[starts[0][0]:starts[0][1]], bom)
	b := &Block{start: start, end: ends[0][0] + len(blockEnd)}
	inner := strings.TrimPrefix(text[starts[0][1]:ends[0][0]], "\n")
	b.Inner = strings.ReplaceAll(inner, "\r\n", "\n")
	b.Edited = starts[0][2] < 0 || text[starts[0][2]:starts[0][3]] != sum(b.Inner)
	return b, nil
}

// Start is the offset of its first mark, in bytes.
func (b *Block) Start() int { return b.start }

// End is the offset behind its last mark, in bytes.
func (b *Block) End() int { return b.end }

func sum(inner string) string {
	digest := sha256.Sum256([]byte(inner))
	return hex.EncodeToString(digest[:4])
}

func render(inner, eol string) string {
	return strings.ReplaceAll("<!-- agit:start v=1 sha="+sum(inner)+" -->\n"+inner, "\n", eol) + blockEnd
}

// PutBlock returns the text with a block of these lines. It replaces an existing block, or else goes to the end of the text. inner ends
// with a line feed.
func PutBlock(text, inner string) (string, Added, error) {
	eol := lineEnd(text)
	old, err := FindBlock(text)
	if err != nil {
		return "", Added{}, err
	}
	if old != nil {
		return text[:old.start] + render(inner, eol) + text[old.end:], Added{}, nil
	}
	before := eol + eol
	switch bare := strings.TrimPrefix(text, bom); {
	case bare == "":
		before = ""
	case strings.HasSuffix(bare, "\n"):
		before = eol
	}
	after := text + before + render(inner, eol) + eol
	return after, Added{Before: before}, nil
}

// PutBlockFirst returns the text with a block of these lines at its beginning, behind its byte order mark and its front matter. The text
// has no block yet.
func PutBlockFirst(text, inner string) (string, Added, error) {
	if old, err := FindBlock(text); err != nil || old != nil {
		return "", Added{}, fmt.Errorf("%w: it is in the file already", ErrChanged)
	}
	eol := lineEnd(text)
	at := len(text) - len(strings.TrimPrefix(text, bom))
	if rest, ok := strings.CutPrefix(text[at:], "---"+eol); ok {
		if front, _, ok := strings.Cut(rest, eol+"---"+eol); ok {
			at += len("---"+eol) + len(front) + len(eol+"---"+eol)
		}
	}
	return text[:at] + render(inner, eol) + eol + eol + text[at:], Added{After: eol}, nil
}

// TakeBlock returns the text without its block. added is what the first PutBlock returned; with the zero value, one blank line in front of
// the block goes too.
func TakeBlock(text string, added Added) (string, error) {
	b, err := FindBlock(text)
	if err != nil || b == nil {
		return text, err
	}
	head, tail := text[:b.start], text[b.end:]
	if rest, ok := strings.CutPrefix(tail, "\r\n"); ok {
		tail = rest
	} else {
		tail = strings.TrimPrefix(tail, "\n")
	}
	if added.After != "" && added.Before == "" { // it was put first
		return head + strings.TrimPrefix(tail, added.After), nil
	}
	switch {
	case added.Before != "" && strings.HasSuffix(head, added.Before):
		head = strings.TrimSuffix(head, added.Before)
		if tail != "" && !strings.HasSuffix(head, "\n") { // a person continued behind the block
			head += lineEnd(text)
		}
	case strings.HasSuffix(head, "\r\n\r\n"):
		head = strings.TrimSuffix(head, "\r\n")
	case strings.HasSuffix(head, "\n\n"):
		head = strings.TrimSuffix(head, "\n")
	}
	return head + tail, nil
}
