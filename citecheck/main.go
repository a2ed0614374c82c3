// Command citecheck will check that what a memory says about the code is still true.
// It is not built yet, says so, and exits with the status for invalid use.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "citecheck is not built yet: it will check that what a memory says about the code is still true")
	os.Exit(2)
}
