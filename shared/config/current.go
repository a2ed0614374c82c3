package config

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Current reports whether the files of a configuration are unchanged since it was read: none is new, gone, replaced or written. A
// long-running process reads its configuration again when they are not.
func (c *Config) Current() bool {
	for path, then := range c.source.stamps {
		now, _ := os.Stat(path) // nil for a file that does not exist
		switch {
		case now == nil || then == nil:
			if now != then {
				return false
			}
		case !os.SameFile(now, then) || !now.ModTime().Equal(then.ModTime()) || now.Size() != then.Size():
			return false
		}
	}
	return true
}

// stamp records the state of the files that the configuration is about to be made of. It is called before they are read, so that a file
// written meanwhile counts as changed.
func (l *loader) stamp() {
	paths := []string{l.trustPath(), filepath.Join(l.home, UserFileName)}
	if l.options.UserHome != "" {
		paths = append(paths, filepath.Join(l.options.UserHome, filepath.FromSlash(legacyUserFile)))
	}
	if path, err := absolute(l.options.File, l.options.Dir, l.options.UserHome); l.options.File != "" && err == nil {
		paths = append(paths, path)
	}
	if l.options.Project != "" {
		for _, name := range []string{legacyProjectFile, ProjectFileName} {
			paths = append(paths, filepath.Join(l.options.Project, filepath.FromSlash(name)))
		}
	}
	l.stamps = make(map[string]fs.FileInfo, len(paths))
	for _, path := range paths {
		l.stamps[path], _ = os.Stat(path)
	}
}
