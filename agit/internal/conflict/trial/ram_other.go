//go:build !linux

package trial

// ramFolder is a folder whose files are in memory; there is none here.
func ramFolder() string { return "" }
