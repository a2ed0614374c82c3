//go:build unix

package git

import (
	"time"

	"golang.org/x/sys/unix"
)

// placed returns when a file last changed or got its name. Pushed objects are written before the hooks run and get their names after them,
// which does not change the time of their content.
func placed(path string) (time.Time, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return time.Time{}, err
	}
	return time.Unix(st.Ctim.Unix()), nil
}
