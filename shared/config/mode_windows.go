package config

import (
	"io/fs"
	"syscall"
)

var errNotDir error = syscall.ENOTDIR

// exposed is always false: a profile folder is its owner's alone by default,
// and mode bits say nothing here.
func (f *file) exposed() bool { return false }

func writableByOthers(fs.FileMode) bool { return false }

func writableByAll(fs.FileMode) bool { return false }
