//go:build !linux

package durable

// syncWhole does nothing: this system has no call that syncs one file system.
func syncWhole([]string) (done bool, err error) { return false, nil }
