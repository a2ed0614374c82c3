module github.com/agit-suite/agit/shared

go 1.26
