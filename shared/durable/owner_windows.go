package durable

import (
	"io/fs"
	"os"
)

func keepOwner(*os.File, *os.Root, string) {} // files inherit it from their folder

// Adopt does nothing: Windows itself hands a new file or folder to the owner of its folder.
func Adopt(string) {}

func sameGroup(fs.FileInfo, fs.FileInfo) bool { return false } // Windows has no modes for groups
