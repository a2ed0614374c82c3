package git

import (
	"os"
	"time"
)

// placed returns when a file last changed.
func placed(path string) (time.Time, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
