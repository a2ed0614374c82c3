package agentsmd

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/classify/internal/language"
	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// The outcomes of writing the block.
const (
	BlockWritten   = "written"
	BlockUnchanged = "unchanged"
)

// WriteBlock writes the project's fields between classify's marks in the AGENTS.md of a folder, and creates the file when it is missing.
// Everything else stays byte for byte; a file whose block has the same content is not touched. The file is replaced in one step. Unknown
// fields get no line. Errors are Operation or Conflict faults.
func WriteBlock(dir, lang, frame, scope string) (outcome string, err error) {
	path, mode, text, err := open(dir)
	if err != nil {
		return "", err
	}
	after, ok := withBlock(text, lang, frame, scope)
	if !ok {
		return "", fault.Conflict("file", path, "the classify block in %q has no end", path).WithHint("add the line %s where it ends", blockEnd)
	}
	if bytes.Equal(after, text) {
		return BlockUnchanged, nil
	}
	if err := durable.WriteFile(path, after, mode); err != nil {
		return "", fault.Operation(err, "write %q", path).WithHint("check that the folder can be written to")
	}
	return BlockWritten, nil
}

// open reads AGENTS.md and returns its real name, or where it would be. A link is followed when it stays in the folder.
func open(dir string) (path string, mode os.FileMode, text []byte, err error) {
	path = filepath.Join(dir, "AGENTS.md")
	real, err := filepath.EvalSymlinks(path)
	if os.IsNotExist(err) {
		if _, err := os.Lstat(path); err == nil {
			return "", 0, nil, fault.Conflict("file", path, "%q is a link to a file that does not exist", path).WithHint("make it an ordinary file")
		}
		return path, 0o644, nil, nil
	}
	if err != nil {
		return "", 0, nil, fault.Operation(err, "read %q", path)
	}
	folder, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", 0, nil, fault.Operation(err, "read %q", dir)
	}
	if rel, err := filepath.Rel(folder, real); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", 0, nil, fault.Conflict("file", path, "%q is a link to a file outside the project", path).WithHint("make it an ordinary file, or leave --write-agents-md out")
	}
	info, err := os.Stat(real)
	if err == nil && !info.Mode().IsRegular() {
		return "", 0, nil, fault.Conflict("file", path, "%q is not a regular file", path).WithHint("leave --write-agents-md out")
	}
	if err == nil {
		text, err = os.ReadFile(real)
	}
	if err != nil {
		return "", 0, nil, fault.Operation(err, "read %q", path)
	}
	return real, info.Mode().Perm(), text, nil
}

// withBlock returns the text with the block in its place, else at the end; false when a block begins and does not end.
func withBlock(text []byte, lang, frame, scope string) ([]byte, bool) {
	eol := "\n"
	if 2*bytes.Count(text, []byte("\r\n")) > bytes.Count(text, []byte("\n")) {
		eol = "\r\n"
	}
	lines := []string{blockStart, "## What this project is", ""}
	for _, field := range [][2]string{{"language", lang}, {"framework", frame}, {"scope", scope}} {
		if value := strings.Join(strings.Fields(field[1]), " "); value != "" && value != language.Unknown && !strings.Contains(value, "-->") {
			lines = append(lines, "- "+field[0]+": "+value)
		}
	}
	block := strings.Join(append(lines, blockEnd), eol)
	from, to := ownBlock(string(text))
	if from < 0 {
		apart := eol + eol
		switch {
		case len(text) == 0:
			apart = ""
		case bytes.HasSuffix(text, []byte(eol+eol)):
			apart = ""
		case bytes.HasSuffix(text, []byte("\n")):
			apart = eol
		}
		return append(bytes.Clone(text), apart+block+eol...), true
	}
	if to < 0 {
		return nil, false
	}
	return slices.Concat(text[:from], []byte(block), text[to:]), true
}
