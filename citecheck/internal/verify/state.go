package verify

import "context"

// state is what the code looks like at one point: the working tree, the index
// or a commit. Paths are cleaned (see clean). Safe for concurrent use.
type state interface {
	// read returns the file at path.
	read(ctx context.Context, path string) (content, error)
	// files lists all files.
	files(ctx context.Context) ([]string, error)
}

// content is what is at a path.
type content struct {
	is   condition
	data []byte
	why  string // for what cannot be read, a clause that follows the path
}

// condition is whether and why not a path can be read.
type condition int

const (
	present    condition = iota
	absent               // there is nothing
	folder               // it is a folder
	escaping             // a symbolic link leads out of the repository
	unreadable           // submodule, too large, no permission, no ordinary file
)

// maxFile is from how many bytes on a file is not looked into.
const maxFile = 64 << 20

// maxListed bounds how many files are listed without git.
const maxListed = 200_000
