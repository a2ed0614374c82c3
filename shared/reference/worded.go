package reference

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// findWorded returns the references with the word "line": x.py (line 12), x.py line 12, x.py, lines 12-14. The text before the word must
// clearly be a file's name, because sentences speak of lines of many things.
func findWorded(text []byte) (refs []Reference) {
	for at := 0; ; {
		i, digits := wordLine(text[at:])
		if i < 0 {
			return refs
		}
		word := at + i
		at += digits
		end := beforeWord(text, word)
		if end < 0 {
			continue
		}
		p, ok := fileBefore(text, end)
		if !ok || !surelyFile(text[p.Start:p.End]) || joined(text, p.Start) {
			continue
		}
		f := Reference{Path: Clean(string(text[p.Start:p.End])), PathAt: p}
		if f.readWorded(text, at) {
			refs = append(refs, f)
			at = f.Stop
		}
	}
}

// wordLine finds "line 12" or "lines 12" and returns where the word and the number begin, or -1.
func wordLine(text []byte) (word, digits int) {
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte("ine"))
		if i < 0 {
			return -1, 0
		}
		start := at + i - 1
		at += i + len("ine")
		if start < 0 || text[start]|0x20 != 'l' || start > 0 && (letter(text[start-1]) || digit(text[start-1]) || text[start-1] == '_') {
			continue
		}
		n := at
		if n < len(text) && text[n] == 's' {
			n++
		}
		if n+1 < len(text) && text[n] == ' ' && digit(text[n+1]) {
			return start, n + 1
		}
	}
}

// beforeWord returns where the path before the word "line" at a place ends, or -1 when other text stands between them.
func beforeWord(text []byte, word int) int {
	before := text[:word]
	for _, between := range []string{" (", ", ", " at ", " on ", " in ", " "} {
		if rest, ok := bytes.CutSuffix(before, []byte(between)); ok {
			return len(rest)
		}
	}
	return -1
}

// readWorded reads the number at a place, and the end of a range: 12-14, 12 to 14.
func (f *Reference) readWorded(text []byte, at int) bool {
	n, digits, ok := Number(text, Span{at, len(text)})
	if !ok || text[at] == 'L' || text[at] == 'l' {
		return false
	}
	f.Line, f.LineAt, f.Stop = n, digits, digits.End
	if rest, ok := bytes.CutPrefix(text[f.Stop:], []byte(" to ")); ok && len(rest) > 0 && digit(rest[0]) {
		from := f.Stop + len(" to ")
		if n, digits, ok := Number(text, Span{from, len(text)}); ok && n > f.Line {
			f.EndLine, f.EndAt, f.Stop = n, digits, digits.End
		}
	} else {
		f.readEnd(text)
	}
	return endsHere(text, f.Stop)
}

// extensions are the extensions of files whose lines people name in words.
var extensions = strings.Fields(`astro bash bat bzl c cc cfg cjs clj cmake conf cpp cs css cts cu cxx dart el erl ex exs fish fs fsx
	go gradle graphql groovy h hh hpp hrl hs html ini ipynb java jl js json jsx kt kts less lua m md mjs ml mli mm mts nim nix php pl pm
	proto ps1 py pyi pyx r rb rs rst s sass scala scss sh sol sql svelte swift tcl tf toml ts tsx txt v vb vue xml yaml yml zig zsh`)

// products are names of products that end like a JavaScript file.
var products = strings.Fields(`alpine angular backbone chart d3 discord ember express moment nest next node nuxt p5 react socket solid three vue`)

// surelyFile reports whether a path is a file and not a product or an abbreviation.
func surelyFile(written []byte) bool {
	p := strings.ReplaceAll(string(written), "\\", "/")
	base := path.Base(p)
	if withoutExtension(base) {
		return true
	}
	extension := strings.TrimPrefix(path.Ext(base), ".")
	name := strings.ToLower(strings.TrimSuffix(base, "."+extension))
	if !slices.Contains(extensions, strings.ToLower(extension)) || name == "" {
		return false
	}
	return strings.Contains(p, "/") || extension != "js" || !slices.Contains(products, name)
}

// After reads the line behind a path that is code of its own: `src/x.py` may be followed by :17, #L17, (line 17) or line 17.
func After(text []byte) (f Reference, ok bool) {
	switch {
	case len(text) > 1 && text[0] == ':' && digit(text[1]),
		len(text) > 2 && (text[0] == '#' || text[0] == ':') && text[1] == 'L' && digit(text[2]):
		n, digits, ok := Number(text, Span{1, len(text)})
		if !ok {
			return f, false
		}
		f.Line, f.LineAt, f.Stop = n, digits, pastColumn(text, digits)
		f.readEnd(text)
		return f, endsHere(text, f.Stop)
	}
	word, digits := wordLine(text)
	if word < 0 || beforeWord(text, word) != 0 {
		return f, false
	}
	return f, f.readWorded(text, digits)
}
