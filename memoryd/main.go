// Command memoryd will keep agents' sessions, long-term memory and records.
// It is not built yet, says so, and exits with the status for invalid use.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "memoryd is not built yet: it will keep agents' sessions, long-term memory and records")
	os.Exit(2)
}
