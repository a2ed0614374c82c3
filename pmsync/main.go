// Command pmsync will sync tickets with Linear, Jira, Asana and Azure DevOps, and plan sprints and ready work.
// It is not built yet, says so, and exits with the status for invalid use.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "pmsync is not built yet: it will sync tickets with Linear, Jira, Asana and Azure DevOps, and plan sprints and ready work")
	os.Exit(2)
}
