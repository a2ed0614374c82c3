// Command classify will say what a project is and which known projects are like it.
// It is not built yet, says so, and exits with the status for invalid use.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "classify is not built yet: it will say what a project is and which known projects are like it")
	os.Exit(2)
}
