module github.com/agit-suite/agit/citecheck

go 1.26

require github.com/agit-suite/agit/shared v0.0.0

replace github.com/agit-suite/agit/shared => ../shared
