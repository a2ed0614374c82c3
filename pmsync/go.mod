module github.com/agit-suite/agit/pmsync

go 1.26.0

replace github.com/agit-suite/agit/shared => ../shared

require (
	github.com/agit-suite/agit/shared v0.0.0
	github.com/google/go-cmp v0.7.0
	github.com/google/uuid v1.6.0
	github.com/rogpeppe/go-internal v1.14.1
	github.com/vektah/gqlparser/v2 v2.5.64
	github.com/yuin/goldmark v1.8.7
	golang.org/x/net v0.62.0
)

require (
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
