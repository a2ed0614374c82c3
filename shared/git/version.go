package git

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"github.com/agit-suite/agit/shared/fault"
)

// Version is git's version.
type Version struct{ Major, Minor, Patch int }

// String returns "2.39.5".
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// AtLeast reports whether v is this version or a later one.
func (v Version) AtLeast(major, minor int) bool {
	return v.Major > major || v.Major == major && v.Minor >= minor
}

var (
	versionMu    sync.Mutex
	versionKnown Version
)

// CurrentVersion asks git for its version, once per process.
func CurrentVersion(ctx context.Context) (Version, error) {
	versionMu.Lock()
	defer versionMu.Unlock()
	if versionKnown != (Version{}) {
		return versionKnown, nil
	}
	out, err := run(ctx, "", Options{}, nil, []string{"version"})
	if err != nil {
		return Version{}, Fault(err, "ask git for its version")
	}
	v, err := ParseVersion(string(out))
	if err != nil {
		return Version{}, fault.Operation(err, "ask git for its version")
	}
	versionKnown = v
	return v, nil
}

// ParseVersion reads what `git version` prints: "git version 2.39.5 (Apple Git-154)".
func ParseVersion(s string) (Version, error) {
	fields := strings.Fields(s)
	if len(fields) < 3 || fields[0] != "git" || fields[1] != "version" {
		return Version{}, fmt.Errorf("%q is not a git version", s)
	}
	var v Version
	if n, _ := fmt.Sscanf(fields[2], "%d.%d.%d", &v.Major, &v.Minor, &v.Patch); n < 2 {
		return Version{}, fmt.Errorf("%q is not a git version", s)
	}
	return v, nil
}

// Installed reports whether git is installed, without running it.
func Installed() bool {
	_, err := exec.LookPath("git")
	return err == nil
}
