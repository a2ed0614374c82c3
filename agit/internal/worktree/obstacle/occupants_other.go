//go:build !linux

package obstacle

// occupant is a process whose current folder is inside a worktree.
type occupant struct {
	PID  int
	Name string
}

// occupants are not looked for on this system.
func occupants(string, bool) []occupant { return nil }
