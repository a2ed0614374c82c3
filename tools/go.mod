module github.com/agit-suite/agit/tools

go 1.26
