module github.com/agit-suite/agit/citecheck

go 1.26.0

require (
	github.com/agit-suite/agit/shared v0.0.0
	github.com/google/go-cmp v0.7.0
	github.com/spf13/cobra v1.10.2
	github.com/yuin/goldmark v1.8.7
	golang.org/x/sync v0.24.0
)

require (
	github.com/gofrs/flock v0.13.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/agit-suite/agit/shared => ../shared
