package setup

import (
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/agit-suite/agit/shared/redact"
)

// Diffs fills in the differences of the files that change.
func (r *Report) Diffs() {
	for i := range r.Files {
		f := &r.Files[i]
		before, after := f.Path, f.Path
		if f.Before == "" {
			before = "/dev/null"
		}
		if f.Gone {
			after = "/dev/null"
			f.After = ""
		}
		text := string(diff.Diff(before, []byte(f.Before), after, []byte(f.After)))
		_, text, _ = strings.Cut(text, "\n") // the first line names a command that was not run
		f.Diff = redact.Clean(text)          // another server's entry beside ours may hold a key
		if f.Diff == "" && f.Gone {
			f.Diff = fmt.Sprintf("--- %s\n+++ /dev/null\n", f.Path)
		}
		f.After = "" // the difference says it
	}
}
