package config

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/agit-suite/agit/shared/durable"
	"github.com/agit-suite/agit/shared/fault"
)

// locked runs change while no other process can change files in the folder.
func locked(folder string, change func() error) error {
	if err := durable.MkdirAll(folder, 0o700); err != nil {
		return fault.Operation(err, "create %q", folder).WithHint("set AGIT_HOME to a folder that can be written")
	}
	lock := flock.New(filepath.Join(folder, "config.lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %q: %w", folder, err)
	}
	defer lock.Close() // the process's end releases it too
	return change()
}

// private is the mode of files that may hold secrets.
const private = 0o600

// writeFile replaces a file durably in one step. A symbolic link stays: the file that it points to is replaced.
func writeFile(path string, data []byte, mode fs.FileMode) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := durable.WriteFile(path, data, mode); err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	return nil
}
