package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/textfile"
)

// mostRead is how much of a cited file is read, in bytes.
const mostRead = 8 << 20

// Standing completes citations from the files of a project, starting at its folder or one in it. It writes their paths relative to the
// project's root, adds the text of lines cited without a snippet, and sets the folder's current commit where none is given. It returns a
// sentence for each place that does not exist. Outside repositories a place has only its text.
func Standing(ctx context.Context, folder string, list []Citation) (warnings []string) {
	if len(list) == 0 || folder == "" {
		return nil
	}
	top, head := folder, ""
	repo, err := git.Find(folder)
	if err == nil && repo.WorkTree != "" {
		top = repo.WorkTree
		if at, err := repo.Head(ctx); err == nil {
			head = at.OID
		}
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return nil
	}
	defer root.Close()
	blobs := map[string][]string{}
	committed := func(name string) []string {
		if known, ok := blobs[name]; ok {
			return known
		}
		out, err := repo.Output(ctx, git.Options{}, "cat-file", "blob", head+":"+name)
		if err == nil {
			blobs[name] = lines(out)
		}
		return blobs[name]
	}
	read := map[string]citedFile{}
	inside, at := realPath(top), realPath(folder)
	for i := range list {
		c := &list[i]
		c.Path = fromRoot(inside, at, c.Path)
		if _, err := checkCitations([]Citation{*c}); err != nil {
			continue // storing it reports the error
		}
		name := path.Clean(strings.ReplaceAll(c.Path, "\\", "/"))
		there, known := read[name]
		if !known {
			var missing string
			if there, missing = readCited(root, name); missing != "" {
				warnings = append(warnings, missing)
				c.Commit = cmp.Or(c.Commit, head) // the commit does not have the file
				continue
			}
			read[name] = there
		}
		if c.Line > len(there.lines) && there.lines != nil {
			warnings = append(warnings, fmt.Sprintf("%q has %d lines, and no line %d", redact.Clean(name), len(there.lines), c.Line))
			c.Commit = cmp.Or(c.Commit, head)
			continue
		}
		if c.Line > 0 && there.lines != nil {
			if c.Snippet == "" {
				c.Snippet = text.Cut(there.lines[c.Line-1], MaxSnippet)
			}
			c.Surroundings = there.around(c.Line-1, c.Snippet)
		}
		if c.Commit == "" && head != "" {
			// A line that was never committed in this form has only its text.
			if c.Line > 0 && there.lines != nil && !slices.Contains(committed(name), there.lines[c.Line-1]) {
				continue
			}
			c.Commit = head
		}
	}
	return warnings
}

// citedFile is the current content of a file; empty for one without lines.
type citedFile struct {
	lines []string
	text  *textfile.File // nil when it is not text
}

// around returns the marks of the lines around a text at a line, from 0; "" when the line does not contain the text.
func (c citedFile) around(line int, snippet string) string {
	if c.text == nil || line >= c.text.Len() {
		return ""
	}
	more := -1
	for quoted := range strings.Lines(snippet) {
		squeezed := textfile.Squeeze(nil, []byte(quoted))
		if more < 0 && !bytes.Contains(textfile.Squeeze(nil, c.text.Line(line)), squeezed) {
			return ""
		}
		if len(squeezed) > 0 {
			more++
		}
	}
	if more < 0 {
		return ""
	}
	return c.text.Discreet(line, c.text.Last(line, more)).String()
}

// readCited reads a file below root. missing is the sentence about a file that does not exist.
func readCited(root *os.Root, name string) (file citedFile, missing string) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return file, fmt.Sprintf("the cited file %q does not exist", redact.Clean(name))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return file, ""
	}
	content, err := io.ReadAll(io.LimitReader(f, mostRead+1))
	if err != nil || len(content) > mostRead || bytes.IndexByte(content, 0) >= 0 {
		return file, ""
	}
	return citedFile{lines(content), textfile.Parse(content)}, ""
}

// lines splits a text; a final line feed does not start an empty line.
func lines(content []byte) []string {
	s := strings.ToValidUTF8(string(content), "\uFFFD")
	if s == "" {
		return []string{}
	}
	all := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i := range all {
		all[i] = strings.TrimSuffix(all[i], "\r")
	}
	return all
}
