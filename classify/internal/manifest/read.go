package manifest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agit-suite/agit/shared/fault"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// ReadAll reads the manifests among the files (slash-separated, relative to the root of fsys), and completes them with what they inherit
// from each other: Cargo's workspace dependencies, Gradle's version catalogues and convention plugins, Maven's parents. The result is
// sorted by depth, then path. It never fails: a file that cannot be read is a Manifest with a Problem.
func ReadAll(fsys fs.FS, files []string) []*Manifest {
	var drafts []*draft
	for _, file := range files {
		if kind, ok := KindOf(file); ok {
			if d := read(fsys, file, kind); !d.foreign {
				drafts = append(drafts, d)
			}
		}
	}
	slices.SortFunc(drafts, func(a, b *draft) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), strings.Compare(a.Path, b.Path))
	})
	drafts = ofNx(drafts)
	inherit(drafts)
	manifests := make([]*Manifest, len(drafts))
	for i, d := range drafts {
		manifests[i] = d.finish()
	}
	return manifests
}

func read(fsys fs.FS, file string, kind Kind) *draft {
	d := &draft{Manifest: &Manifest{Path: file, Kind: kind, Ecosystem: kind.Ecosystem()}, fsys: fsys, seen: map[Dependency]bool{}}
	text, wrong := load(fsys, file)
	if wrong != "" {
		d.problem(0, "%s", wrong)
	}
	if strings.TrimSpace(text) == "" {
		return d
	}
	kind.format().parse(d, text)
	return d
}

// load reads a manifest as UTF-8 text without byte order mark and with "\n" as line ends. Errors are returned as a sentence; a text with a
// sentence is still worth reading.
func load(fsys fs.FS, file string) (text, wrong string) {
	if !fs.ValidPath(file) {
		return "", "its path leaves the project"
	}
	info, err := fs.Stat(fsys, file)
	switch {
	case err != nil:
		return "", "cannot be read: " + fault.Cause(err).Error()
	case !info.Mode().IsRegular():
		return "", "is not a regular file" // a FIFO would block the reader
	case info.Size() > MaxSize:
		return "", fmt.Sprintf("has %d bytes, more than the %d that are read", info.Size(), MaxSize)
	}
	f, err := fsys.Open(file)
	if err != nil {
		return "", "cannot be read: " + fault.Cause(err).Error()
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1)) // it may grow, or report a wrong size
	switch {
	case err != nil:
		return "", "cannot be read: " + fault.Cause(err).Error()
	case len(data) > MaxSize:
		return "", fmt.Sprintf("has more than the %d bytes that are read", MaxSize)
	}
	return decode(file, data)
}

// decode turns the output of editors and shells on all systems into plain text. The file's name determines where the file may name its
// character set.
func decode(file string, data []byte) (text, wrong string) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		data = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		data = fromUTF16(data[2:], binary.BigEndian)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", "is binary"
	}
	text = string(data)
	if !utf8.Valid(data) {
		var ok bool
		if text, ok = recode(file, data); !ok {
			text, wrong = strings.ToValidUTF8(string(data), "\uFFFD"), "is not UTF-8 throughout"
		}
	}
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	return text, wrong
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// beside resolves a reference in the manifest file to a path of the project, and returns false when it leads out of it.
func beside(file, ref string) (string, bool) {
	ref = strings.ReplaceAll(ref, `\`, "/")
	if ref == "" || path.IsAbs(ref) || strings.Contains(ref, ":") {
		return "", false
	}
	p := path.Join(path.Dir(file), ref)
	return p, fs.ValidPath(p)
}

// part loads another file of the project, to which the file from refers, to be read as part of this manifest; false when it cannot be, or
// was already. The verb names the reference in a problem.
func (d *draft) part(verb, from, ref string, line int) (file, text string, ok bool) {
	file, ok = beside(from, ref)
	if !ok {
		d.problem(line, "%s %q, which is outside the project", verb, shorten(ref))
		return "", "", false
	}
	if file == d.Path || slices.Contains(d.Includes, file) {
		return "", "", false
	}
	text, wrong := load(d.fsys, file)
	if wrong != "" {
		d.problem(line, "%s %q, which %s", verb, file, wrong)
		return "", "", false
	}
	d.Includes = append(d.Includes, file)
	return file, text, true
}

// lineAt returns the 1-based line of a byte offset.
func lineAt(text string, offset int) int {
	if offset < 0 {
		return 0
	}
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}

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
