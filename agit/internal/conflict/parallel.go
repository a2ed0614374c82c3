package conflict

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/git/ignore"
)

// TaskText is a pending task with its text.
type TaskText struct {
	ID    string // the task's ref
	Text  string // its whole description
	Agent string // the agent it is assigned to, if any; the task's files include that agent's announcements
}

// Verdict is whether a task can start beside what is in flight.
type Verdict string

// The verdicts.
const (
	ParallelYes     Verdict = "ok"        // no other agent touches or announced the files it names
	ParallelNo      Verdict = "conflicts" // someone is at one of them
	ParallelUnknown Verdict = "unknown"   // it names no file of the repository, or a worktree could not be read
)

// Parallel is the verdict on one task.
type Parallel struct {
	Task    string   `json:"task_id"`
	Verdict Verdict  `json:"verdict"`
	Files   []string `json:"files,omitempty"` // the files, folders and patterns that it is expected to touch
	With    []Meet   `json:"with,omitempty"`  // who is in the way
}

// Meet is an agent or worktree at a file that the task is expected to touch.
type Meet struct {
	File     string `json:"file"`
	Worktree string `json:"worktree_id,omitempty"` // when a worktree touches it
	Agent    string `json:"agent,omitempty"`
	Claim    string `json:"claim,omitempty"` // pattern, when it is announced
}

// ParallelOK returns for each task whether it touches nothing in flight. A task's files are the paths and globs in its text that match
// tracked files, and what its agent has announced. A task that names no files is unknown, never ok, and so is every task beside unread
// worktrees, which are returned too; one whose folder is gone is in no one's way.
func (s *Store) ParallelOK(ctx context.Context, repoID int64, tasks []TaskText) (answers []Parallel, unread []Skipped, err error) {
	r, list, err := s.load(ctx, repoID)
	if err != nil {
		return nil, nil, err
	}
	files, err := trackedFiles(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	held, err := s.Announcements(ctx, repoID)
	if err != nil {
		return nil, nil, err
	}
	report, err := s.Scan(ctx, repoID, Options{Depth: DepthFile})
	if err != nil {
		return nil, nil, err
	}
	known := newCatalogue(slices.Concat(files, newFiles(held, report.Touched)))
	unread = report.unread(list)
	answers = make([]Parallel, len(tasks))
	for i, t := range tasks {
		answers[i] = known.judge(t, held, report.Touched)
		if len(unread) > 0 && answers[i].Verdict == ParallelYes {
			answers[i].Verdict = ParallelUnknown
		}
	}
	return answers, unread, nil
}

// newFiles returns untracked files that an agent touches or announced: a task may name a file that another agent is about to make.
func newFiles(held []Announcement, touched []Touched) (files []string) {
	for _, w := range touched {
		for _, f := range w.Files {
			files = append(files, f.Path)
		}
	}
	for _, c := range held {
		if p, ok := ignore.Parse(c.Pattern); ok {
			if path, literal := p.Literal(); literal {
				files = append(files, path)
			}
		}
	}
	return files
}

// catalogue finds files by the names that people use for them.
type catalogue struct {
	files   []string // sorted
	folders map[string]bool
	byName  map[string][]string // by last element
}

func newCatalogue(files []string) *catalogue {
	k := &catalogue{files: slices.Compact(slices.Sorted(slices.Values(files))), folders: map[string]bool{}, byName: map[string][]string{}}
	for _, file := range k.files {
		k.byName[path.Base(file)] = append(k.byName[path.Base(file)], file)
		for dir := path.Dir(file); dir != "." && !k.folders[dir]; dir = path.Dir(dir) {
			k.folders[dir] = true
		}
	}
	return k
}

func (k *catalogue) has(file string) bool {
	_, ok := slices.BinarySearch(k.files, file)
	return ok
}

// judge compares what a task is expected to touch with what others touch and announced. A task's own agent does not count.
func (k *catalogue) judge(t TaskText, held []Announcement, touched []Touched) Parallel {
	names := k.named(t.Text)
	for _, c := range held {
		if t.Agent != "" && c.Agent == t.Agent {
			names = including(names, c.Pattern)
		}
	}
	answer := Parallel{Task: t.ID, Verdict: ParallelUnknown, Files: names}
	if len(names) == 0 {
		return answer
	}
	answer.Verdict = ParallelYes
	expected := k.expected(names)
	for _, w := range touched {
		if t.Agent != "" && w.Worktree.Agent == t.Agent {
			continue
		}
		for _, f := range w.Files {
			if expected.meets(f.Path) || f.OldPath != "" && expected.meets(f.OldPath) {
				answer.With = append(answer.With, Meet{File: f.Path, Worktree: w.Worktree.Ref, Agent: w.Worktree.Agent})
			}
		}
	}
	for _, c := range held {
		if t.Agent != "" && c.Agent == t.Agent {
			continue
		}
		if file, ok := expected.announcedBy(c); ok {
			answer.With = append(answer.With, Meet{File: file, Agent: c.Agent, Claim: c.Pattern})
		}
	}
	if len(answer.With) > 0 {
		answer.Verdict = ParallelNo
	}
	return answer
}

// expectation is the set of files a task will touch: known files, and patterns for files that do not exist yet.
type expectation struct {
	files    map[string]bool
	patterns []ignore.Pattern
	literal  []string
}

func (k *catalogue) expected(names []string) *expectation {
	e := &expectation{files: map[string]bool{}}
	for _, name := range names {
		p, ok := ignore.Parse("/" + strings.TrimPrefix(name, "/"))
		if !strings.Contains(strings.TrimSuffix(name, "/"), "/") && !k.has(name) && !k.folders[strings.TrimSuffix(name, "/")] {
			p, ok = ignore.Parse(name) // a bare pattern such as *.sql matches in every folder
		}
		if !ok {
			continue
		}
		e.patterns = append(e.patterns, p)
		if path, is := p.Literal(); is {
			e.literal = append(e.literal, path)
		}
		for _, file := range k.files {
			if p.Match(file) {
				e.files[file] = true
			}
		}
	}
	return e
}

func (e *expectation) meets(file string) bool {
	return e.files[file] || slices.ContainsFunc(e.patterns, func(p ignore.Pattern) bool { return p.Match(file) })
}

func (e *expectation) announcedBy(c Announcement) (file string, ok bool) {
	q, valid := ignore.Parse(c.Pattern)
	if !valid {
		return "", false
	}
	if path, literal := q.Literal(); literal && e.meets(path) {
		return path, true
	}
	for _, path := range e.literal {
		if q.Match(path) {
			return path, true
		}
	}
	first := ""
	for path := range e.files {
		if q.Match(path) && (first == "" || path < first) {
			first = path
		}
	}
	return first, first != ""
}

// named finds the files, folders and globs of the repository that a text names.
func (k *catalogue) named(text string) []string {
	var names []string
	notInPath := func(r rune) bool { return r <= ' ' || strings.ContainsRune("\"'`()<>{}|,;", r) }
	for word := range strings.FieldsFuncSeq(text, notInPath) {
		for _, name := range k.resolve(trimWord(word)) {
			names = including(names, name)
		}
	}
	return names
}

// trimWord drops the punctuation around a path in prose: "src/a.go:12." is src/a.go.
func trimWord(word string) string {
	word = strings.TrimRight(word, ".:!")
	if at := strings.IndexByte(word, ':'); at > 0 && strings.Trim(word[at:], ":0123456789-") == "" {
		word = word[:at] // a line number
	}
	if strings.Contains(word, "://") {
		return "" // an address on the net
	}
	word = strings.TrimPrefix(strings.TrimPrefix(word, "@"), "./")
	return strings.TrimPrefix(word, "/")
}

// resolve returns the files that a word names, or nothing when it is not a path here. A word may be the whole path of a file or folder, the
// end of a file's path, a glob with a match, or a new file in an existing folder.
func (k *catalogue) resolve(word string) []string {
	folder := strings.TrimSuffix(word, "/")
	switch {
	case word == "":
		return nil
	case k.has(word):
		return []string{word}
	case k.folders[folder] && (strings.Contains(word, "/") || word != folder):
		return []string{folder + "/"}
	case strings.ContainsAny(word, "*?["):
		p, ok := ignore.Parse(word)
		if ok && strings.Trim(word, "*?/") != "" && slices.ContainsFunc(k.files, p.Match) {
			return []string{word}
		}
		return nil // a star in prose does not mean every file
	}
	if !strings.ContainsAny(word, "./") {
		return nil // an ordinary word
	}
	var ends []string
	for _, file := range k.byName[path.Base(word)] {
		if strings.HasSuffix(file, "/"+word) {
			ends = append(ends, file)
		}
	}
	if len(ends) == 0 && k.folders[path.Dir(word)] && path.Ext(word) != "" {
		return []string{word}
	}
	return ends
}
