module github.com/agit-suite/agit/classify

go 1.26

replace github.com/agit-suite/agit/shared => ../shared
