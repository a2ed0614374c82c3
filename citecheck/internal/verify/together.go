package verify

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

// byTogether sets the commit of jobs whose text was at their line at several times. A memory is written at one time, at which all its
// citations were right: that time's commit is set. When there is no such time, only the citations into the same file count.
func (c *Checker) byTogether(ctx context.Context, versions []git.FileVersion, jobs []*job, open func(*job) bool) error {
	dated := those(jobs, func(j *job) bool { return j.c.Together != "" && j.c.Line > 0 && len(j.snippet.lines) > 0 })
	memories := grouped(dated, func(j *job) string { return j.c.Together })
	h := &fileHistory{c: c, files: map[string][]fileState{}}
	for _, group := range memories {
		if !slices.ContainsFunc(group, open) || len(group) <= leastSure {
			continue
		}
		h.index(versions)
		stands := make(map[*job][]stand, len(group))
		for path, jobs := range grouped(group, func(j *job) string { return j.path }) {
			if err := h.stands(ctx, path, jobs, stands); err != nil {
				return err
			}
		}
		for _, j := range group {
			if open(j) {
				j.together(group, stands, h.moments)
			}
		}
	}
	return nil
}

// leastSure is how many other citations are needed to date a memory. Each must have had only one line with its text at its place.
const leastSure = 2

// stand is a period in which a text stayed at its line.
type stand struct {
	from, to int    // moments, the newest one first
	commit   string // the newest one in the period
	line     int    // which of the lines with the text it was
}

// together sets the job's commit to the one at which it was right with the others.
func (j *job) together(group []*job, stands map[*job][]stand, moments int) {
	same := those(group, func(other *job) bool { return other.path == j.path })
	for _, witnesses := range [][]*job{group, same} {
		right, said, sure := make([]int, moments), 0, 0
		for _, w := range witnesses {
			if len(stands[w]) == 0 {
				continue // it was never right, or the time is not known
			}
			said++
			if w != j && stands[w][len(stands[w])-1].line == 1 {
				sure++
			}
			for _, s := range stands[w] {
				for at := s.from; at <= s.to; at++ {
					right[at]++
				}
			}
		}
		if sure < leastSure {
			return
		}
		var found *stand
		for i := range stands[j] {
			s := &stands[j][i]
			all := false
			for at := s.from; at <= s.to && !all; at++ {
				all = right[at] == said
			}
			switch {
			case !all:
			case found == nil:
				found = s
			case found.line != s.line:
				return // the others were right at both times
			}
		}
		if found != nil {
			j.commit = found.commit
			return
		}
	}
}

// fileHistory is the state of the files at each moment at which one of them changed.
type fileHistory struct {
	c       *Checker
	moments int
	files   map[string][]fileState // newest first; nil when not all of it was read
}

// fileState is a file during a range of moments.
type fileState struct {
	from, to int
	commit   string
	blob     string // "" where there was no file
}

// index reads a log, newest first, once.
func (h *fileHistory) index(versions []git.FileVersion) {
	if h.moments > 0 {
		return
	}
	last := ""
	for _, v := range versions {
		if v.Commit != last {
			h.moments++
			last = v.Commit
		}
		states := h.files[v.Path]
		s := fileState{to: h.moments - 1, commit: v.Commit}
		if len(states) > 0 {
			s.from = states[len(states)-1].to + 1
		}
		if !git.ZeroName(v.New) {
			s.blob = v.New
		}
		h.files[v.Path] = append(states, s)
	}
}

// stands adds the periods in which the texts of jobs into one file were at their lines; none when the file's history is too long.
func (h *fileHistory) stands(ctx context.Context, path string, jobs []*job, into map[*job][]stand) error {
	states := h.files[path]
	if len(states) > maxRecalled {
		return nil
	}
	var newer *textfile.File
	seen := make([]struct{ line, lines int }, len(jobs)) // the line in the range, from 1, and its place in the last version seen
	for _, s := range states {
		var f *textfile.File
		if s.blob != "" {
			var err error
			if f, err = h.c.blobFile(ctx, s.blob); err != nil {
				return err
			}
		}
		if f == nil {
			continue
		}
		var step *filePair
		for k, j := range jobs {
			at := &seen[k]
			if at.lines > 0 && at.line >= 0 {
				if step == nil {
					step = newFilePair(f, newer)
				}
				at.line = step.m.From[at.line]
			}
			if !j.snippet.stands(f, j.line()) {
				continue
			}
			if at.lines == 0 || at.line != j.line() {
				at.lines++
				at.line = j.line()
			}
			list := into[j]
			if n := len(list); n > 0 && list[n-1].line == at.lines && list[n-1].to == s.from-1 {
				list[n-1].to = s.to
				continue
			}
			into[j] = append(list, stand{from: s.from, to: s.to, commit: s.commit, line: at.lines})
		}
		newer = f
	}
	return nil
}
