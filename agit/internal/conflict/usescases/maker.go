package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/agit-suite/agit/agit/internal/conflict"
	"github.com/agit-suite/agit/agit/internal/conflict/mergetree"
	"github.com/agit-suite/agit/shared/git"
)

// maker makes cases of one repository.
type maker struct {
	repo   *git.Repo // folder where commits are made; it borrows the objects of the repository
	dir    string
	head   string
	files  map[string]string
	order  []string
	rand   *rand.Rand
	funcs  []*function
	byName map[string][]*function
	count  map[string]int // files that hold a word
	made   int
}

// function is a function as found by a plain look at the text.
type function struct {
	file, name  string
	first, last int // lines from 0
	call        *regexp.Regexp
}

// change maps paths to texts; an empty text removes the file.
type change map[string]string

// made is one case.
type madeCase struct {
	operation string
	about     string // the name that a row must have
	file      string // where the row must be; "" for anywhere
	a, b      change
	harmless  change
}

func (c *madeCase) String() string { return c.operation + " " + c.about + " in " + c.file }

var operations = []string{"rename", "remove", "parameters", "duplicate", "move", "dependency"}

func (c *madeCase) asksFor(u conflict.Use) bool {
	return strings.HasSuffix(u.Name, c.about) || c.operation == "move" && u.Name+path.Ext(c.about) == c.about
}

func newMaker(ctx context.Context, dir string, seed uint64) (*maker, error) {
	source, err := git.Find(dir)
	if err != nil {
		return nil, err
	}
	m := &maker{rand: rand.New(rand.NewPCG(seed, 1)), files: map[string]string{}, byName: map[string][]*function{}, count: map[string]int{}}
	if m.head, err = source.Run(ctx, "rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	if m.dir, err = os.MkdirTemp("", "usescases-*"); err != nil {
		return nil, err
	}
	if _, err := source.Run(ctx, "init", "-q", "--bare", m.dir); err != nil {
		return nil, err
	}
	if err := os.WriteFile(m.dir+"/objects/info/alternates", []byte(source.CommonDir+"/objects\n"), 0o600); err != nil {
		return nil, err
	}
	if m.repo, err = git.Find(m.dir); err != nil {
		return nil, err
	}
	out, err := source.Output(ctx, git.Options{}, "ls-tree", "-r", "-z", "--name-only", m.head)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range strings.Split(string(out), "\x00") {
		if file != "" && !strings.Contains(file, "vendor/") && !strings.Contains(file, "/testdata/") {
			names = append(names, m.head+":"+file)
		}
	}
	texts, err := mergetree.Contents(ctx, source, nil, names, 1<<20)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		file := strings.TrimPrefix(n, m.head+":")
		if text, ok := texts[n]; ok && !strings.Contains(text, "\x00") {
			m.files[file] = text
			m.order = append(m.order, file)
		}
	}
	m.findFunctions()
	return m, nil
}

func (m *maker) close() { os.RemoveAll(m.dir) }

// forms find functions by a file's extension; the name is the last group.
var forms = map[string]*regexp.Regexp{
	".go":   regexp.MustCompile(`^func (?:\(\w+ \*?\w+\) )?(\w+)\(`),
	".py":   regexp.MustCompile(`^(?: {4})?def (\w+)\(`),
	".ts":   regexp.MustCompile(`^(?:export )?(?:async )?function (\w+)\(|^    (?:private |protected |public |static |async )*(\w+)\([^;]*$`),
	".js":   regexp.MustCompile(`^(?:export )?(?:async )?function (\w+)\(`),
	".java": regexp.MustCompile(`^    (?:(?:public|private|protected|static|final) )+(?:<[^>]+> )?[\w<>\[\], ]+ (\w+)\([^;]*$`),
	".rs":   regexp.MustCompile(`^(?:    )?(?:pub(?:\([^)]*\))? )?fn (\w+)\(`),
	".c":    regexp.MustCompile(`^(?:static )?(?:[a-z_]\w* \*?)+(\w+)\([^;]*$`),
}

var wordForm = regexp.MustCompile(`[A-Za-z_]\w*`)

func (m *maker) findFunctions() {
	for _, file := range m.order {
		seen := map[string]bool{}
		for _, w := range wordForm.FindAllString(m.files[file], -1) {
			if !seen[w] {
				seen[w] = true
				m.count[w]++
			}
		}
		form := forms[path.Ext(file)]
		if form == nil {
			continue
		}
		lines := strings.Split(m.files[file], "\n")
		for i, line := range lines {
			found := form.FindStringSubmatch(line)
			if found == nil {
				continue
			}
			name := strings.Join(found[1:], "")
			last := endOf(lines, i, path.Ext(file) == ".py")
			if last < 0 || slices.Contains([]string{"constructor", "if", "for", "while", "switch", "catch", "main", "init"}, name) {
				continue
			}
			f := &function{file: file, name: name, first: i, last: last, call: regexp.MustCompile(`\b` + name + `\(`)}
			m.funcs = append(m.funcs, f)
			m.byName[name] = append(m.byName[name], f)
		}
	}
}

// endOf returns the line on which a function ends, -1 when that is not plain.
func endOf(lines []string, first int, byIndent bool) int {
	indent := lines[first][:len(lines[first])-len(strings.TrimLeft(lines[first], " \t"))]
	for i := first + 1; i < len(lines) && i < first+120; i++ {
		line := lines[i]
		if byIndent {
			if line != "" && !strings.HasPrefix(line, indent+" ") && !strings.HasPrefix(line, indent+")") {
				for lines[i-1] == "" {
					i--
				}
				return i - 1
			}
			continue
		}
		if line == indent+"}" {
			return i
		}
		if strings.HasPrefix(line, indent) && len(line) > len(indent) && line[len(indent)] != ' ' && line[len(indent)] != '\t' && !strings.ContainsAny(line[len(indent):], ")}{#") {
			return -1
		}
	}
	return -1
}

// commit makes a commit of what a side changes.
func (m *maker) commit(ctx context.Context, c change) (string, error) {
	m.made++
	index := fmt.Sprintf("GIT_INDEX_FILE=%s/index%d", m.dir, m.made)
	env := []string{index, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	run := func(stdin string, args ...string) (string, error) {
		out, err := m.repo.Output(ctx, git.Options{Env: env, Stdin: strings.NewReader(stdin)}, args...)
		return strings.TrimSpace(string(out)), err
	}
	if _, err := run("", "read-tree", m.head); err != nil {
		return "", err
	}
	var info strings.Builder
	for file, text := range c {
		if text == "" {
			fmt.Fprintf(&info, "0 %s\t%s\n", strings.Repeat("0", len(m.head)), file)
			continue
		}
		oid, err := run(text, "hash-object", "-w", "--stdin")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&info, "100644 %s\t%s\n", oid, file)
	}
	if _, err := run(info.String(), "update-index", "--index-info"); err != nil {
		return "", err
	}
	tree, err := run("", "write-tree")
	if err != nil {
		return "", err
	}
	return run("", "commit-tree", tree, "-p", m.head, "-m", "made")
}

func (m *maker) judge(ctx context.Context, a, b change) ([]conflict.Use, bool, error) {
	x, err := m.commit(ctx, a)
	if err != nil {
		return nil, false, err
	}
	y, err := m.commit(ctx, b)
	if err != nil {
		return nil, false, err
	}
	if m.made%4 == 0 {
		x, y = y, x
	}
	return conflict.UsesBetween(ctx, m.repo, x, y)
}
