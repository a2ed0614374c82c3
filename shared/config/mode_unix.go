//go:build !windows

package config

import "io/fs"

// exposed reports whether people other than the owner can read secrets written
// in the file.
func (f *file) exposed() bool {
	return f.mode.Perm()&0o077 != 0
}

func writableByOthers(mode fs.FileMode) bool { return mode.Perm()&0o022 != 0 }

func writableByAll(mode fs.FileMode) bool { return mode.Perm()&0o002 != 0 }
