package memory

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/text"
)

// mostRead is how much of a cited file is read, in bytes.
const mostRead = 8 << 20

// Standing looks where citations point, from a project's folder: it keeps the text
// of the lines that are cited without one, gives those that name no commit the one
// that the folder stands on, and returns a sentence for each place that is not
// there. Outside repositories places stand by their text alone.
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
	committed := func(path string) []string {
		out, err := repo.Output(ctx, git.Options{}, "cat-file", "blob", head+":"+path)
		if err != nil {
			return nil
		}
		return lines(out)
	}
	read := map[string][]string{}
	for i := range list {
		c := &list[i]
		if _, err := checkCitations([]Citation{*c}); err != nil {
			continue // whoever stores it refuses it
		}
		name := strings.ReplaceAll(c.Path, "\\", "/")
		there, known := read[name]
		if !known {
			var missing string
			if there, missing = readLines(root, name); missing != "" {
				warnings = append(warnings, missing)
				c.Commit = cmp.Or(c.Commit, head) // at which it was not there
				continue
			}
			read[name] = there
		}
		if c.Line > len(there) && there != nil {
			warnings = append(warnings, fmt.Sprintf("%q has %d lines, and no line %d", name, len(there), c.Line))
			c.Commit = cmp.Or(c.Commit, head)
			continue
		}
		if c.Line > 0 && c.Snippet == "" && there != nil {
			c.Snippet = text.Cut(there[c.Line-1], MaxSnippet)
		}
		if c.Commit == "" && head != "" {
			// A line that was never committed so is known by its text.
			if c.Line > 0 && there != nil && !slices.Contains(committed(name), there[c.Line-1]) {
				continue
			}
			c.Commit = head
		}
	}
	return warnings
}

// readLines are the lines of a file below root; nil for one that has none to speak
// of. missing says that it is not there.
func readLines(root *os.Root, name string) (all []string, missing string) {
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Sprintf("%q is cited, and is not there", name)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, ""
	}
	content, err := io.ReadAll(io.LimitReader(f, mostRead+1))
	if err != nil || len(content) > mostRead || bytes.IndexByte(content, 0) >= 0 {
		return nil, ""
	}
	return lines(content), ""
}

// lines splits a text; what ends in a line feed has no empty line after it.
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
