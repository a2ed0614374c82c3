//go:build !linux

package mergetree

// ramFolder is a folder whose files are in memory; there is none here.
func ramFolder() string { return "" }
