package command

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/agit-suite/agit/classify/internal/catalogue"
	"github.com/agit-suite/agit/shared/cli"
	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/output"
	"github.com/agit-suite/agit/shared/term"
)

// dirItem is a folder on standard input: text, or an object with its path, such
// as a line of `classify list -o ndjson` or `agit repos -o ndjson`.
type dirItem struct{ dir string }

func (d *dirItem) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &d.dir)
	}
	var o struct{ Path, Dir string }
	if err := json.Unmarshal(text, &o); err != nil {
		return err
	}
	d.dir = cmp.Or(o.Path, o.Dir)
	return nil
}

// readDirs reads folders from standard input: JSON, or one a line.
func readDirs(s *term.Streams) ([]string, error) {
	if s.InTTY {
		_, err := output.ReadItems[dirItem](s)
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(s.In, output.MaxInput+1))
	if err != nil {
		return nil, fault.Operation(err, "read standard input")
	}
	if start := bytes.TrimLeft(text, "\ufeff \t\r\n"); len(start) == 0 || !strings.ContainsRune(`{["`, rune(start[0])) {
		var dirs []string
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
				dirs = append(dirs, line)
			}
		}
		if len(dirs) > output.MaxItems || len(text) > output.MaxInput {
			return nil, fault.Validation("-", "standard input holds too many folders").WithHint("send them in parts")
		}
		return dirs, nil
	}
	s.In = bytes.NewReader(text) // the input was read to its end to determine its format
	items, err := output.ReadItems[dirItem](s, "profiles", "projects", "repos", "worktrees")
	if err != nil {
		return nil, err
	}
	dirs := make([]string, len(items))
	for i, item := range items {
		if dirs[i] = item.Value.dir; dirs[i] == "" {
			return nil, fault.Validation("-", "line %d of standard input names no folder", item.Line).WithHint("give each item a path")
		}
	}
	return dirs, nil
}

// which reads an argument that is a folder or a project. An existing folder counts as a folder, unless it has no profile and a project has
// that name; anything else is an id or a name.
func which(env *cli.Env, args []string, pkg string) (catalogue.Which, error) {
	w := catalogue.Which{Package: pkg}
	given := "."
	if len(args) > 0 {
		given = args[0]
	}
	dir, err := env.Path(given)
	if err != nil {
		return w, err
	}
	info, err := os.Stat(dir)
	isPath := strings.HasPrefix(given, ".") || strings.ContainsAny(given, `/\`)
	switch {
	case err == nil && info.IsDir():
		w.Dir = dir
		if len(args) > 0 && !isPath {
			w.Project = given
		}
	case isPath:
		return w, fault.NotFound("folder", given).WithHint("name a folder that exists, or a project by its id or name")
	default:
		w.Project = given
	}
	return w, nil
}
