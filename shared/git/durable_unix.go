//go:build unix

package git

import (
	"time"

	"golang.org/x/sys/unix"
)

// placed is when a file last changed or got its name. What is pushed is written
// before the hooks run and gets its name after them, which leaves its content's
// time as it was.
func placed(path string) (time.Time, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return time.Time{}, err
	}
	return time.Unix(st.Ctim.Unix()), nil
}
