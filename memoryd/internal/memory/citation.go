package memory

import (
	"path"
	"strings"
	"unicode"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
)

// Citation is a place in the code that a memory rests on. Verdict and the fields after it are citecheck's last result; they are read, never
// stored here.
type Citation struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Snippet string `json:"snippet,omitempty"`
	Commit  string `json:"commit,omitempty"` // full hash of the commit at which it was true
	// Surroundings are marks of the lines around it (textfile.Surroundings), for citecheck.
	Surroundings string `json:"-"`

	Verdict   string `json:"verdict,omitempty"`
	FoundPath string `json:"found_path,omitempty"`
	FoundLine int    `json:"found_line,omitempty"`
	CheckedAt string `json:"checked_at,omitempty"`
}

// checkCitations accepts places inside the project: relative paths with forward
// slashes, lines from 1, snippets of a few lines.
func checkCitations(list []Citation) ([]Citation, error) {
	if len(list) > MaxCitations {
		return nil, fault.Validation("citations", "%d citations are given, the limit is %d", len(list), MaxCitations).WithHint("give fewer")
	}
	kept := make([]Citation, 0, len(list))
	for _, c := range list {
		given := strings.ReplaceAll(c.Path, "\\", "/")
		clean := path.Clean(given)
		switch {
		case given == "" || clean == ".":
			return nil, fault.Validation("citations", "a citation names no path").WithHint("give a file's path from the project's root")
		case len(given) > 1024 || strings.ContainsFunc(given, unicode.IsControl):
			return nil, fault.Validation("citations", "the cited path %.60q is not a path of a file", c.Path).WithHint("give a file's path from the project's root")
		case path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") || len(clean) > 1 && clean[1] == ':':
			return nil, fault.Validation("citations", "the cited path %q is outside the project", c.Path).WithHint("give a path from the project's root")
		case c.Line < 0:
			return nil, fault.Validation("citations", "line %d of %q does not exist", c.Line, c.Path).WithHint("lines count from 1; leave the line out to cite the file")
		}
		snippet := strings.TrimRight(c.Snippet, "\r\n")
		if _, err := limited("citations", snippet, MaxSnippet); err != nil {
			return nil, err
		}
		if len(c.Commit) > 64 || strings.Trim(c.Commit, "0123456789abcdef") != "" {
			return nil, fault.Validation("citations", "%.70q is not a commit's hash", c.Commit).WithHint("leave the commit out: it is the one the folder stands on")
		}
		kept = append(kept, Citation{Path: clean, Line: c.Line, Snippet: snippet, Commit: c.Commit, Surroundings: c.Surroundings})
	}
	return kept, nil
}

func addCitations(tx *registry.Tx, id int64, list []Citation) error {
	var rows [][]any
	for i, c := range list {
		rows = append(rows, []any{id, i, c.Path, c.Line, c.Snippet, c.Commit, c.Surroundings})
	}
	return insertRows(tx, `INSERT INTO memory_citations (memory_id, position, path, line, snippet, oid, surroundings) VALUES`, rows)
}
