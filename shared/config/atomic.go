package config

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// locked runs change while no other process changes files in the folder.
func locked(folder string, change func() error) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("create %q: %w", folder, err)
	}
	lock := flock.New(filepath.Join(folder, "config.lock"), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock %q: %w", folder, err)
	}
	defer lock.Close() // the process's end releases it too
	return change()
}

// writeFile replaces a file in one step and keeps it to the owner. A symbolic
// link stays one: what it points to is replaced.
func writeFile(path string, data []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	temp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // mode 0600
	if err != nil {
		return fmt.Errorf("write %q: %w", path, err)
	}
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Sync()
	}
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name()) // the first error is the one to tell
		return fmt.Errorf("write %q: %w", path, err)
	}
	return nil
}
