// Package distance measures how far worktrees' commits are from the default branch: commits ahead and behind, files and lines. Three
// git calls measure any number of worktrees. Results are cached in a file, because they never change for the same two commits, so a
// status without news starts no process. A Meter is safe for concurrent use by any number of processes.
package distance

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/redact"
	"github.com/agit-suite/agit/shared/text"
	"github.com/agit-suite/agit/shared/timestamp"
)

// Distance is how far a commit is from the tip of the default branch.
type Distance struct {
	Head       string         `json:"head"`          // the commit
	Ahead      int            `json:"ahead"`         // commits that the default branch lacks
	Behind     int            `json:"behind"`        // commits of the default branch that it lacks
	Files      int            `json:"files_changed"` // changed by the commits ahead, since the merge base
	Insertions int            `json:"insertions"`
	Deletions  int            `json:"deletions"`
	Subject    string         `json:"last_commit"` // of the commit
	Committed  timestamp.Time `json:"committed_at"`
}

// Meter measures distances and caches them in Dir; an empty Dir means no cache.
type Meter struct{ Dir string }

// maxCommits bounds how much of a history is read; larger distances are counted as this.
const maxCommits = 50_000

// maxSubject is how much of a commit's subject is kept, in bytes.
const maxSubject = 120

// Measure returns the distance of each commit from the target, all given by their full names; name is the repository's name for the
// cache file. Commits that git does not have are left out.
func (m Meter) Measure(ctx context.Context, g *git.Repo, name, target string, tips []string) (map[string]Distance, error) {
	tips = slices.Compact(slices.Sorted(slices.Values(tips)))
	kept := m.read(name, target)
	known := map[string]Distance{}
	var missing []string
	for _, tip := range tips {
		if d, found := kept[tip]; found {
			known[tip] = d
		} else {
			missing = append(missing, tip)
		}
	}
	if len(missing) == 0 {
		return known, nil
	}
	measured, err := measure(ctx, g, target, missing)
	if err != nil {
		return known, err
	}
	maps.Copy(known, measured)
	m.write(name, target, known)
	return known, nil
}

// file is the cache of a repository: distances from one commit of the default branch.
type file struct {
	Target    string              `json:"target"`
	Distances map[string]Distance `json:"distances"`
}

func (m Meter) path(name string) string { return filepath.Join(m.Dir, filepath.Base(name)+".json") }

func (m Meter) read(name, target string) map[string]Distance {
	if m.Dir == "" {
		return nil
	}
	var f file
	data, err := os.ReadFile(m.path(name))
	if err != nil || json.Unmarshal(data, &f) != nil || f.Target != target {
		return nil
	}
	return f.Distances
}

// write stores distances. After a failure they are measured again the next time.
func (m Meter) write(name, target string, known map[string]Distance) {
	data, err := json.Marshal(file{target, known})
	if err != nil || m.Dir == "" || os.MkdirAll(m.Dir, 0o700) != nil {
		return
	}
	temporary, err := os.CreateTemp(m.Dir, "new-*")
	if err != nil {
		return
	}
	_, err = temporary.Write(data)
	if closed := temporary.Close(); err == nil && closed == nil {
		err = os.Rename(temporary.Name(), m.path(name))
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
}

// measure calls git: once for the commits between the tips and their common ancestor, and once for the changes of each tip since it
// left the target.
func measure(ctx context.Context, g *git.Repo, target string, tips []string) (map[string]Distance, error) {
	h, err := readHistory(ctx, g, target, tips)
	if err != nil {
		return nil, err
	}
	found := map[string]Distance{}
	var pairs strings.Builder
	var measured []string
	main := h.reach(target)
	for _, tip := range tips {
		at, known := h.index[tip]
		if !known {
			continue
		}
		own := h.reach(tip)
		d := Distance{Head: tip, Subject: text.Visible(redact.Clean(h.commits[at].subject), maxSubject), Committed: timestamp.Of(h.commits[at].at)}
		base := -1
		for i := range h.commits {
			switch {
			case own[i] && main[i]:
				if base < 0 { // children come before their parents
					base = i
				}
			case own[i]:
				d.Ahead++
			case main[i]:
				d.Behind++
			}
		}
		found[tip] = d
		if d.Ahead > 0 && base >= 0 {
			pairs.WriteString(tip + " " + h.commits[base].oid + "\n")
			measured = append(measured, tip)
		}
	}
	if len(measured) == 0 {
		return found, nil
	}
	out, err := g.Output(ctx, git.Options{Stdin: strings.NewReader(pairs.String())},
		"diff-tree", "--stdin", "-r", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv")
	if err != nil {
		return nil, git.Fault(err, "count changed lines")
	}
	count(out, found)
	return found, nil
}

// count adds the numbers of diff-tree to the distances: a line with the commit, then one for each file, with "-" for the lines of a
// binary file.
func count(out []byte, found map[string]Distance) {
	tip := ""
	for line := range bytes.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(string(line), "\n"), "\t", 3)
		if len(fields) < 3 {
			tip, _, _ = strings.Cut(fields[0], " ")
			continue
		}
		d, known := found[tip]
		if !known {
			continue
		}
		added, _ := strconv.Atoi(fields[0])
		deleted, _ := strconv.Atoi(fields[1])
		d.Files, d.Insertions, d.Deletions = d.Files+1, d.Insertions+added, d.Deletions+deleted
		found[tip] = d
	}
}

// history is the part of a repository's commits that the tips do not share, and the commit where it begins, children before their
// parents.
type history struct {
	commits []historyCommit
	index   map[string]int
}

type historyCommit struct {
	oid     string
	parents []string
	at      time.Time
	subject string
}

func readHistory(ctx context.Context, g *git.Repo, target string, tips []string) (*history, error) {
	all := append([]string{target}, tips...)
	slices.Sort(all)
	all = slices.Compact(all)
	args := append([]string{"log", "--topo-order", "--no-show-signature", "--format=%H%x00%P%x00%ct%x00%s", "--ignore-missing", "--max-count=" + strconv.Itoa(maxCommits)}, all...)
	// The common ancestor is read, its own ancestors are not. Without a common ancestor everything is read.
	common := ""
	if len(all) == 1 {
		common = all[0]
	} else if bases, err := g.Run(ctx, append([]string{"merge-base", "--octopus"}, all...)...); err == nil {
		common, _, _ = strings.Cut(bases, "\n")
	}
	if common != "" {
		args = append(args, "--not", common+"^@")
	}
	out, err := g.Output(ctx, git.Options{}, append(args, "--")...)
	if err != nil {
		return nil, git.Fault(err, "read the commits since the worktrees left the default branch")
	}
	h := &history{index: map[string]int{}}
	for line := range bytes.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(string(line), "\n"), "\x00", 4)
		if len(fields) < 4 {
			continue
		}
		seconds, _ := strconv.ParseInt(fields[2], 10, 64)
		if _, twice := h.index[fields[0]]; twice {
			continue
		}
		h.index[fields[0]] = len(h.commits)
		h.commits = append(h.commits, historyCommit{fields[0], strings.Fields(fields[1]), time.Unix(seconds, 0), fields[3]})
	}
	return h, nil
}

// reach marks a commit and its ancestors.
func (h *history) reach(oid string) []bool {
	marks := make([]bool, len(h.commits))
	start, known := h.index[oid]
	if !known {
		return marks
	}
	marks[start] = true
	for i := start; i < len(h.commits); i++ {
		if !marks[i] {
			continue
		}
		for _, parent := range h.commits[i].parents {
			if at, known := h.index[parent]; known {
				marks[at] = true
			}
		}
	}
	return marks
}
