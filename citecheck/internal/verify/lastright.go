package verify

import (
	"context"
	"slices"

	"github.com/agit-suite/agit/shared/git"
	"github.com/agit-suite/agit/shared/textfile"
)

const (
	// maxRecalled bounds the versions of one file that are searched for when a citation was right, maxRecalledAll those of all files.
	maxRecalled    = 200
	maxRecalledAll = 3000
)

// byLastRight sets the commit of jobs that have no other one: the newest commit at which their text was at their line, so that the citation
// was right. all contains settled jobs too, whose commits help to date a memory.
func (c *Checker) byLastRight(ctx context.Context, jobs, all []*job) error {
	byPath := map[string][]*job{}
	var asked []*job
	args := append(git.VersionArgs(), c.Commit(), "--")
	for _, j := range jobs {
		if j.guessed && !j.tried { // the newest version has the text at the line: nothing more can be known
			j.tried = true
			asked = append(asked, j)
			continue
		}
		if j.commit != "" || j.tried || j.c.Line == 0 || len(j.snippet.lines) == 0 {
			continue
		}
		j.tried = true
		asked = append(asked, j)
		if byPath[j.path] == nil {
			args = append(args, j.path)
		}
		byPath[j.path] = append(byPath[j.path], j)
	}
	if len(byPath) == 0 {
		return c.inPlace(ctx, asked)
	}
	out, err := c.repo.Output(ctx, git.Options{}, args...)
	if err := tolerate(ctx, err); err != nil {
		return err
	}
	versions, err := git.ParseVersions(out)
	if err != nil {
		return err
	}
	read := map[string]int{}
	looked := 0
	memories := map[*job]*rightVersions{}
	newer := map[string]*textfile.File{} // by path: the version examined before
	for _, v := range versions {
		waiting := byPath[v.Path]
		if len(waiting) == 0 || git.ZeroName(v.New) || read[v.Path] == maxRecalled || looked == maxRecalledAll {
			continue
		}
		read[v.Path]++
		looked++
		f, err := c.blobFile(ctx, v.New)
		if err != nil {
			return err
		}
		if f == nil {
			continue
		}
		var step *filePair
		before := func(line int) int {
			if step == nil {
				step = newFilePair(f, newer[v.Path])
			}
			return step.m.From[line]
		}
		byPath[v.Path] = slices.DeleteFunc(waiting, func(j *job) bool {
			if memories[j] == nil {
				memories[j] = &rightVersions{}
			}
			return memories[j].look(j, f, v.Commit, before)
		})
		newer[v.Path] = f
	}
	for j, m := range memories {
		if m.lines == 1 && (m.alone || !m.here || !c.shallow()) {
			j.commit = m.commit
		}
	}
	settled := those(all, func(j *job) bool { // in files whose history is read
		_, known := byPath[j.path]
		return j.done && known
	})
	undecided := func(j *job) bool { return j.commit == "" && (j.inLine || memories[j] != nil && memories[j].lines > 1) }
	if err := tolerate(ctx, c.byTogether(ctx, versions, append(slices.Clone(asked), settled...), undecided)); err != nil {
		return err
	}
	return c.inPlace(ctx, asked)
}

// rightVersions collects from the versions of a file when a citation was right.
type rightVersions struct {
	commit  string
	lines   int  // how many different lines with the text were at the cited place
	here    bool // one was there in the version examined last
	alone   bool // it was there and nowhere else in its file
	current int  // where the newest of them is in the version examined last, -1 before it was written
}

// look examines the next older version and reports whether enough is known. A text that occurs once in its file is the cited one. When
// different equal lines were at the cited line at different times, nothing is known. A line that left and came back counts once. before
// maps a line of the version examined before to this version, or to -1.
func (m *rightVersions) look(j *job, f *textfile.File, commit string, before func(line int) int) bool {
	if m.lines > 0 && m.current >= 0 {
		m.current = before(m.current)
	}
	m.here = j.snippet.stands(f, j.line())
	if !m.here || m.lines > 0 && m.current == j.line() {
		return false
	}
	m.lines++
	if m.lines > 1 {
		return true
	}
	m.commit, m.alone, m.current = commit, j.snippet.alone(f), j.line()
	return m.alone
}
