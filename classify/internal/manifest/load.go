package manifest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// load reads a manifest as UTF-8 text without byte order mark and with "\n" as line ends. Errors are returned as a sentence; a text with a
// sentence is still worth reading.
func load(fsys fs.FS, file string) (text, wrong string) {
	if !fs.ValidPath(file) {
		return "", "its path leaves the project"
	}
	info, err := fs.Stat(fsys, file)
	switch {
	case err != nil:
		return "", "cannot be read: " + reason(err)
	case !info.Mode().IsRegular():
		return "", "is not a regular file" // a FIFO would block the reader
	case info.Size() > MaxSize:
		return "", fmt.Sprintf("has %d bytes, more than the %d that are read", info.Size(), MaxSize)
	}
	f, err := fsys.Open(file)
	if err != nil {
		return "", "cannot be read: " + reason(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1)) // it may grow, or report a wrong size
	switch {
	case err != nil:
		return "", "cannot be read: " + reason(err)
	case len(data) > MaxSize:
		return "", fmt.Sprintf("has more than the %d bytes that are read", MaxSize)
	}
	return decode(file, data)
}

// reason returns the cause of a file system error without its path, which the Problem already has.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
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

// lineAt returns the 1-based line of a byte offset.
func lineAt(text string, offset int) int {
	if offset < 0 {
		return 0
	}
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
