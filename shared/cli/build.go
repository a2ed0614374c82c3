package cli

// Version and Commit say what was built; the Makefile and the release set them
// with -ldflags -X.
var (
	Version = "devel"
	Commit  = ""
)
