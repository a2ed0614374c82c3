package config

import "io/fs"

// exposed is always false: by default only the owner can read a profile folder, and mode bits mean nothing here.
func (f *file) exposed() bool { return false }

func writableByOthers(fs.FileMode) bool { return false }

func writableByAll(fs.FileMode) bool { return false }
