package durable

import (
	"os"
	"time"
)

const (
	foldersSync       = false // NTFS keeps names in its own journal
	closeBeforeRename = true  // an open file cannot be renamed
)

func syncFolder(*os.File) error { return nil }

func openToSync(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }

func lock(*os.File) bool { return true }

// leftover goes by age: locks here would keep the writer itself from writing.
func leftover(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()) > time.Hour
}
