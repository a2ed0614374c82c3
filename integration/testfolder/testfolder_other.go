//go:build !linux

package testfolder

// folder returns the folder, "" for none.
func folder() string { return "" }
