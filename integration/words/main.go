// Command words finds the words and forms that docs/style.md lists in the lines that a
// change adds: in comments and sentences of Go code, in names of tests, in documentation, and
// in the subjects of commits. It prints each with its plain form, and fails when it found any.
//
//	go run ./integration/words [BASE]
//
// The change consists of the commits that HEAD has and origin/main does not, or those since
// BASE. On main itself it lists the findings in the lines of the last 20 commits, and does
// not fail. Lines that are older than this check are not read.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agit-suite/agit/integration/change"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

// finding is a form to avoid, with the place where it stands.
type finding struct {
	file  string
	line  int
	out   string // the words found
	plain string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %q: %s", f.file, f.line, f.out, f.plain) }

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 1 {
		return errors.New("usage: words [BASE]")
	}
	given := ""
	if len(args) == 1 {
		given = args[0]
	}
	c, err := change.Of(ctx, ".", given)
	if err != nil {
		return err
	}
	if err := notBefore(ctx, &c, birth); err != nil {
		return err
	}
	if c.Base == "" {
		fmt.Fprintln(out, "HEAD has no commit before it here, so there is no change to read")
		return nil
	}
	added, err := c.Added(ctx)
	if err != nil {
		return err
	}
	var files []string
	for file := range added {
		files = append(files, file)
	}
	slices.Sort(files)
	found := 0
	for _, file := range files {
		all, err := inFile(c.Dir, file)
		if err != nil {
			return err
		}
		for _, f := range all {
			if added[file][f.line] {
				found++
				fmt.Fprintln(out, f)
			}
		}
	}
	if c.Published {
		fmt.Fprintf(out, "%d places on main that are not in the words of docs/style.md\n", found)
		return nil
	}
	subjects, err := c.Subjects(ctx)
	if err != nil {
		return err
	}
	for _, s := range subjects {
		hash, subject, _ := strings.Cut(s, " ")
		for _, why := range inSubject(subject) {
			found++
			fmt.Fprintf(out, "commit %s %q: %s\n", hash, subject, why)
		}
	}
	if found > 0 {
		return fmt.Errorf("%d places in what was added since %.12s are not in the words of docs/style.md; write them in the plain form named beside each", found, c.Base)
	}
	return nil
}

// birth is the file whose first commit brought this check.
const birth = "integration/words/main.go"

// notBefore moves the base of a change to the commit that added a file, unless that was before it.
func notBefore(ctx context.Context, c *change.Change, file string) error {
	if c.Base == "" {
		return nil
	}
	cmd := exec.CommandContext(ctx, "git", "log", "--diff-filter=A", "--format=%H", c.Base+"..HEAD", "--", file)
	cmd.Dir = c.Dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("look for the commit that added %s: %w", file, err)
	}
	if added := strings.Fields(string(out)); len(added) > 0 {
		c.Base = added[0]
	}
	return nil
}

// inFile returns the findings of a file; those of files that it does not read are none.
func inFile(dir, file string) ([]finding, error) {
	read := reader(file)
	if read == nil {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	return read(file, text), nil
}

// reader is how a file is read, by its path; nil for a file that is not read: data, the
// list of words itself, and pages that are written from help texts.
func reader(file string) func(file string, text []byte) []finding {
	slash := filepath.ToSlash(file)
	for _, part := range []string{"testdata/", "integration/words/", "memoryd/internal/lexicon/", "docs/style.md", "docs/cli/", "docs/mcp/"} {
		if strings.HasPrefix(slash, part) || strings.Contains(slash, "/"+part) {
			return nil
		}
	}
	switch filepath.Ext(slash) {
	case ".go":
		return inGo
	case ".md":
		return inMarkdown
	}
	return nil
}
