module github.com/agit-suite/agit/pmsync/schematest

go 1.26.0

require (
	github.com/agit-suite/agit/pmsync v0.0.0
	github.com/vektah/gqlparser/v2 v2.5.64
)

require (
	github.com/agit-suite/agit/shared v0.0.0 // indirect
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

replace (
	github.com/agit-suite/agit/pmsync => ../
	github.com/agit-suite/agit/shared => ../../shared
)
