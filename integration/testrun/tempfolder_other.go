//go:build !linux

package main

// tempFolder returns a folder for the files of tests, "" for the usual one.
func tempFolder() string { return "" }
