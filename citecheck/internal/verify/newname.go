package verify

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/agit-suite/agit/shared/textfile"
)

func trimmed(line []byte) []byte { return bytes.Clone(bytes.TrimSpace(line)) }

// byNewName follows files that were renamed.
func (c *Checker) byNewName(ctx context.Context, jobs []*job) error {
	lost := those(jobs, func(j *job) bool { return j.absent && c.repo != nil })
	if len(lost) == 0 {
		return nil
	}
	names := map[*job]string{}
	if err := c.sinceWritten(ctx, lost, names); err != nil {
		return err
	}
	if err := c.follow(ctx, those(lost, func(j *job) bool { return names[j] == "" }), names); err != nil {
		return err
	}
	if c.shallow() {
		for _, j := range lost {
			if names[j] == "" && j.commit == "" && len(j.snippet.lines) == 0 {
				j.finish(Unverifiable, "%s does not exist, and this clone is shallow: it may have another name", j.path)
			}
		}
	}
	renamed := those(lost, func(j *job) bool { return names[j] != "" })
	return c.eachFile(ctx, renamed, func(j *job) string { return names[j] }, c.judgeRenamed)
}

// sinceWritten finds the names of the files according to git's renames since the citations were written, or since HEAD when the rename is not
// committed. Looking for renames is costly, since git compares the deleted files with the new ones, so commits without the file are skipped.
func (c *Checker) sinceWritten(ctx context.Context, jobs []*job, names map[*job]string) error {
	byCommit := map[string][]*job{}
	for _, j := range jobs {
		for _, commit := range []string{j.commit, c.Commit()} {
			if commit == "" {
				continue
			}
			object, err := c.objects.Read(ctx, commit+":"+j.path, 0)
			if err != nil {
				return err
			}
			if object.Type == "blob" {
				byCommit[commit] = append(byCommit[commit], j)
				break
			}
		}
	}
	var mu sync.Mutex
	return atOnce(ctx, c.workers, byCommit, func(ctx context.Context, commit string, group []*job) error {
		renames, err := c.renamedSince(ctx, commit)
		mu.Lock()
		defer mu.Unlock()
		for _, j := range group {
			if name := renames[j.path]; name != "" {
				names[j] = name
			}
		}
		return err
	})
}

// maxNames bounds how many names of one file are followed.
const maxNames = 8

// byDeparture sets the commit of jobs whose file is gone and that have no other one: the last commit with the file.
func (c *Checker) byDeparture(ctx context.Context, jobs []*job) error {
	lost := those(jobs, func(j *job) bool { return j.absent && j.commit == "" && c.repo != nil && len(j.snippet.lines) > 0 })
	paths := keysOf(lost, func(j *job) string { return j.path })
	departures, err := c.departures(ctx, c.Commit(), paths)
	for _, j := range lost {
		if d, ok := departures[j.path]; ok {
			j.commit, j.traced = d.before, true
		}
	}
	return err
}

// follow follows the files through the commits that removed them, name by name.
func (c *Checker) follow(ctx context.Context, jobs []*job, names map[*job]string) error {
	current := map[*job]string{}
	for _, j := range jobs {
		current[j] = j.path
	}
	for range maxNames {
		departures, err := c.departures(ctx, c.Commit(), slices.Compact(slices.Sorted(maps.Values(current))))
		if err != nil {
			return err
		}
		for j, p := range current {
			d, known := departures[p]
			if known && j.commit == "" {
				j.commit, j.traced = d.before, true // the last version of the file
			}
			if delete(current, j); !known || d.to == "" || d.to == j.path {
				continue
			}
			_, got, err := c.read(ctx, d.to)
			if err != nil {
				return err
			}
			if got.is == present {
				names[j] = d.to
			} else {
				current[j] = d.to
			}
		}
		if len(current) == 0 {
			return nil
		}
	}
	return nil
}

// judgeRenamed judges the jobs whose file is now at p.
func (c *Checker) judgeRenamed(ctx context.Context, p string, jobs []*job) error {
	_, got, err := c.read(ctx, p)
	if err != nil || got.is != present {
		return err
	}
	var f *textfile.File
	for _, j := range jobs {
		if j.c.Line == 0 && len(j.snippet.lines) == 0 {
			j.result.FoundPath, j.result.Score = p, 1
			j.finish(Renamed, "the file is now %s", p)
			continue
		}
		if f == nil {
			if f = c.parse(got.data); f == nil {
				return nil
			}
		}
		old, err := c.oldFile(ctx, j.commit, j.path)
		if err != nil {
			return err
		}
		var both *filePair
		if old != nil {
			both = newFilePair(old, f)
		}
		if len(j.snippet.lines) == 0 && (both == nil || !j.known()) {
			j.result.Candidates = []Place{{Path: p}}
			j.finish(Unverifiable, "the file is now %s, and no commit shows which line of it was meant", p)
			continue
		}
		j.judge(f, both, p)
		if d := j.doubt; d != nil && !j.done {
			if j.dead {
				d.refute()
			}
			j.settle(d.o, f, p, d.offset)
		}
		if j.done && j.result.Verdict == Moved {
			j.result.Verdict = Renamed
			j.result.Reason = "the file is now " + p
		}
	}
	return nil
}

// known reports whether the recorded commit came with the citation, so that its line can be trusted without a snippet.
func (j *job) known() bool { return j.commit != "" && !j.traced }
