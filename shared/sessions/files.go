package sessions

import (
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mostFiles bounds how many files of one client are looked at.
const mostFiles = 200_000

// files lists the files below root whose paths below it match one of the patterns of path.Match, as deep as these. Links are not followed.
// Unreadable files and folders are passed to problem.
func files(root string, problem func(string, error), patterns ...string) (found []Source) {
	deepest := 0
	for _, p := range patterns {
		deepest = max(deepest, strings.Count(p, "/"))
	}
	wanted := func(rel string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { ok, err := path.Match(p, rel); return ok && err == nil })
	}
	var walk func(dir, rel string, left int)
	walk = func(dir, rel string, left int) {
		list, err := os.ReadDir(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				problem(dir, err)
			}
			return
		}
		for _, one := range list {
			at, below := filepath.Join(dir, one.Name()), path.Join(rel, one.Name())
			switch {
			case one.IsDir() && left > 0:
				walk(at, below, left-1)
			case one.Type().IsRegular() && len(found) < mostFiles && wanted(below):
				if info, err := one.Info(); err == nil {
					found = append(found, Source{Path: at, Size: info.Size(), Mod: info.ModTime()})
				}
			}
		}
	}
	walk(root, "", deepest)
	return found
}

const markBytes = 4096

// HashEnds hashes the first and the last bytes of the first length bytes of a file, to tell a file that was replaced from one that grew. It
// returns -1 for a file that cannot be read.
func HashEnds(path string, length int64) int64 {
	h := fnv.New64a()
	if length == 0 {
		return int64(h.Sum64() >> 1)
	}
	in, err := os.Open(path)
	if err != nil {
		return -1
	}
	defer in.Close()
	n := min(length, markBytes)
	if _, err = io.Copy(h, io.NewSectionReader(in, 0, n)); err == nil {
		_, err = io.Copy(h, io.NewSectionReader(in, length-n, n))
	}
	if err != nil {
		return -1
	}
	return int64(h.Sum64() >> 1)
}
