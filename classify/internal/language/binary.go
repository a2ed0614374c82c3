package language

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/filetree"
)

const (
	// binaryFrom is the size, in bytes, from which any source is read: a larger file may be data with a source's extension.
	binaryFrom = 20 << 10
	// binaryLook is how much of a file is read, the same as git does.
	binaryLook = 8000
	// maxBinaryLooks bounds how many files are read for it. After that many, a file counts as the last one of its folder and extension did.
	maxBinaryLooks = 2000
)

// binary reports whether a file with a source's extension is data: an MPEG stream (.ts), MATLAB's objects (.m), a resource (.res).
func (c *Counter) binary(f *filetree.File, name string) bool {
	ext := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	if f.Size <= binaryFrom && !(slices.Contains(sharedWithData, ext) || packets(ext, f.Size)) {
		return false
	}
	kind := f.Path[:len(f.Path)-len(name)] + ext
	if c.binaryLooks++; c.binaryLooks > maxBinaryLooks {
		return c.data[kind]
	}
	head, err := c.tree.Head(f.Path, binaryLook)
	if err != nil {
		return false // it cannot be read: only its name counts
	}
	data := isData(head)
	c.data[kind] = data
	return data
}

// isData reports whether bytes are not text. UTF-16 with its mark is text.
func isData(head []byte) bool {
	return bytes.IndexByte(head, 0) >= 0 && !bytes.HasPrefix(head, []byte("\xff\xfe")) && !bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// sharedWithData are the extensions of sources that data of any size also uses.
var sharedWithData = []string{"m", "pl", "pm", "d", "v", "r", "s", "f", "for", "fs", "cl", "ss", "sc", "res", "sol", "inc", "module", "st", "el", "lsp", "scm", "pas", "hx", "cr", "gd", "lua", "jl", "asm", "sql", "elm", "cob", "cbl"}

// packets reports whether a file has the length of an MPEG transport stream: its packets have 188 bytes, or 192 with their times.
func packets(ext string, size int64) bool {
	return (ext == "ts" || ext == "mts") && (size%188 == 0 || size%192 == 0)
}
