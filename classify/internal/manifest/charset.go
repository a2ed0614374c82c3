package manifest

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// declared returns the character set that a file names for itself, "" for none: XML in its declaration
// (https://www.w3.org/TR/xml/#charencoding), Python and Ruby in a comment of the first two lines (PEP 263), R's DESCRIPTION in a field.
func declared(file string, data []byte) string {
	head := data[:min(len(data), 4<<10)]
	var pattern string
	switch {
	case bytes.HasPrefix(bytes.TrimLeft(head, " \t\r\n"), []byte("<?xml")):
		pattern = `^\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.:-]+)["']`
	case path.Base(file) == string(RDescription):
		pattern = `(?m)^Encoding:[ \t]*([\w.-]+)`
	default:
		pattern = `\A(?:[^\n]*\n)?[ \t\f]*(?:#|//|;|%|--)[^\n]*?coding[:=][ \t]*([\w.-]+)`
	}
	if found := regexp.MustCompile(pattern).FindSubmatch(head); found != nil {
		return string(found[1])
	}
	return ""
}

// charset returns the encoding of a name, as HTML, XML, Python, Ruby and R write it; nil for an unknown one and for UTF-8.
func charset(name string) encoding.Encoding {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if number, ok := strings.CutPrefix(name, "latin-"); ok {
		name = "latin" + number
	}
	if number, ok := strings.CutPrefix(name, "cp"); ok && strings.HasPrefix(number, "125") {
		name = "windows-" + number
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return enc
}

// recode converts text that is not UTF-8 to UTF-8, from the character set that the file names; false when it names none that fits.
func recode(file string, data []byte) (string, bool) {
	enc := charset(declared(file, data))
	if enc == nil {
		return "", false
	}
	text, err := enc.NewDecoder().Bytes(data)
	if err != nil || !utf8.Valid(text) || bytes.ContainsRune(text, utf8.RuneError) {
		return "", false
	}
	return string(text), true
}
