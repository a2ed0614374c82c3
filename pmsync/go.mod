module github.com/agit-suite/agit/pmsync

go 1.26

replace github.com/agit-suite/agit/shared => ../shared
