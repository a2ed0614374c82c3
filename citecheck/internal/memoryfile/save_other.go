//go:build !unix

package memoryfile

import (
	"io/fs"
	"os"
)

const nonblocking = 0

func keepOwner(*os.File, fs.FileInfo) {}
