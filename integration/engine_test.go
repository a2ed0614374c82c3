package integration

import (
	"fmt"
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agit-suite/agit/shared/registry/registrytest"
)

// place returns the server registry that replaces a folder's file, when registrytest names a server; empty for a file in that folder.
// Programs read it as AGIT_DB.
func place(folder string) string {
	if !registrytest.OnServer() {
		return ""
	}
	url, err := registrytest.ServerPlace(folder)
	if err != nil {
		panic(err) // needServer has asked before
	}
	return url
}

// needServer prints why and returns true when registries are to be on a server and none is available.
func needServer() (skip bool) {
	if !registrytest.OnServer() {
		return false
	}
	if _, err := registrytest.ServerPlace("one that answers"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return true
	}
	registrytest.DropPlace("one that answers")
	return false
}

// dropPlace removes what place made.
func dropPlace(folder string) {
	if registrytest.OnServer() {
		registrytest.DropPlace(folder)
	}
}

// registryIn is `registry DIR`: programs then keep the registry and the suite's other files in that folder, or in HOME again when DIR
// is missing.
func registryIn(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: registry [DIR]")
	}
	folder, own := ts.Getenv("HOME"), ""
	if len(args) == 1 {
		own = ts.MkAbs(args[0])
		folder = own
	}
	ts.Setenv("AGIT_HOME", own)
	ts.Setenv("AGIT_DB", place(folder))
	ts.Defer(func() { dropPlace(folder) })
}
