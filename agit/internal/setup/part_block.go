package setup

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/agit-suite/agit/agit/internal/setup/edit"
)

// block is the part of a Markdown file between marks.
type block struct {
	inner string
	or    string // another text for a block that holds the lines of mark, whatever version wrote it; "" for none
	mark  string
	// line matches a line with which a person gave the file the same effect: it imports AGENTS.md.
	line *regexp.Regexp
	also func() string
	same func() bool // whether the file is AGENTS.md by another name
	// within is how many bytes of the file a client reads, 0 for all. A block that would end beyond them is put first.
	within int
}

func (p block) look(s *Setup, f *file) (State, string) {
	if p.same != nil && p.same() {
		if s.Options.Remove {
			return Missing, ""
		}
		return Current, "is AGENTS.md"
	}
	b, err := edit.FindBlock(f.text)
	if err == nil {
		p.inner = p.text(b)
	}
	switch {
	case err != nil:
		return Broken, err.Error()
	case b == nil && p.line != nil && p.line.MatchString(prose(f.text)):
		return Current, "imports it already"
	case b == nil && p.also != nil && p.also() != "" && !s.Options.Remove:
		return Current, p.also()
	case b == nil:
		return Missing, ""
	case b.Edited && b.Inner != p.inner:
		return Stale, "was edited between its marks; --force replaces it"
	case p.within > 0 && b.End() > p.within && b.Start() > 0:
		return Stale, fmt.Sprintf("ends after the first %d bytes of the file, and a client reads no more", p.within)
	case b.Inner == p.inner:
		return Current, ""
	}
	return Stale, "was written by another version"
}

// text returns the text that the block is to have: the other one, when its present one holds the mark, else inner.
func (p block) text(b *edit.Block) string {
	if b != nil && p.or != "" && strings.Contains(b.Inner, p.mark) {
		return p.or
	}
	return p.inner
}

func (p block) ours(_ *Setup, f *file, _ string) bool {
	b, err := edit.FindBlock(f.text)
	return err == nil && b != nil && (!b.Edited || b.Inner == p.text(b))
}

func (p block) put(_ *Setup, f *file, id string) error {
	before := f.text
	b, err := edit.FindBlock(before)
	if err != nil {
		return err
	}
	p.inner = p.text(b)
	far := func(b *edit.Block) bool { return p.within > 0 && b != nil && b.End() > p.within }
	if far(b) { // moved to the beginning, it counts as new
		if before, err = edit.TakeBlock(before, addedOf(f, id)); err != nil {
			return err
		}
		f.forget(id)
	}
	text, added, err := edit.PutBlock(before, p.inner)
	if err != nil {
		return err
	}
	if b, err := edit.FindBlock(text); err == nil && far(b) {
		if text, added, err = edit.PutBlockFirst(before, p.inner); err != nil {
			return err
		}
	}
	if e := f.rec.entryOf(id); e != nil && added.Before == "" && added.After == "" {
		added = e.Added
	}
	f.text = text
	f.remember(id, sumOf(p.inner), "", added)
	return nil
}

func (p block) take(s *Setup, f *file, id string) (bool, string, error) {
	if b, err := edit.FindBlock(f.text); err != nil || b == nil {
		return false, "", err
	}
	if !s.Options.Force && !p.ours(s, f, id) {
		return false, forceTakes, nil
	}
	text, err := edit.TakeBlock(f.text, addedOf(f, id))
	if err != nil {
		return false, "", err
	}
	f.cut(text)
	return true, "", nil
}

// listItem matches the beginning of a list item. The item's further lines are indented, but not code.
var listItem = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]`) })

// prose returns a Markdown text without its code blocks and comments, in which clients do not follow imports. The other lines keep their
// positions.
func prose(text string) string {
	var out strings.Builder
	fence, comment := "", false
	item, blank, code := false, true, false // within a list, behind a blank line, in indented code
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		empty := strings.TrimSpace(line) == ""
		code = fence == "" && !comment && !item && indented && (blank || code) && !empty
		if !indented && !empty {
			item = listItem().MatchString(line)
		}
		blank = empty
		if code {
			out.WriteByte('\n')
			continue
		}
		bare := strings.TrimLeft(strings.TrimRight(line, "\r\n"), " \t>")
		switch {
		case fence != "":
			if strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]+" \t") == "" {
				fence = ""
			}
			out.WriteByte('\n')
			continue
		case !comment && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
			fence = bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
			out.WriteByte('\n')
			continue
		}
		for line != "" {
			mark := "<!--"
			if comment {
				mark = "-->"
			}
			before, after, found := strings.Cut(line, mark)
			if !comment {
				out.WriteString(before)
			}
			if !found {
				break
			}
			comment, line = !comment, after
		}
		if comment {
			out.WriteByte('\n')
		}
	}
	return out.String()
}
