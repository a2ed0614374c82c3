package verify

import "context"

// state is the code at one point: the working tree, the index or a commit. Paths are cleaned (see clean). Safe for concurrent use.
type state interface {
	// read returns the file at path.
	read(ctx context.Context, path string) (content, error)
	// files lists all files.
	files(ctx context.Context) ([]string, error)
}

// content is the content at a path.
type content struct {
	is   condition
	data []byte
	why  string // why it cannot be read, as a clause that follows the path
}

// condition is whether a path can be read, or why not.
type condition int

const (
	present    condition = iota
	absent               // it does not exist
	folder               // it is a folder
	escaping             // a symbolic link leads out of the repository
	unreadable           // submodule, too large, no permission, no ordinary file
)

// maxFile is the size in bytes from which a file is not read.
const maxFile = 64 << 20

// maxListed bounds how many files are listed without git.
const maxListed = 200_000
