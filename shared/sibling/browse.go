package sibling

import (
	"os/exec"
	"runtime"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Browse opens an address in the user's browser without waiting for it, with the program that BROWSER names, else with the system's own.
// The address is visible in the list of processes for a moment, so it must not hold a lasting secret.
func Browse(environ []string, address string) error {
	program, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		program = "open"
	case "windows":
		program, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	for _, variable := range environ {
		if named, ok := strings.CutPrefix(variable, "BROWSER="); ok && named != "" {
			program, args = named, []string{address}
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Env = environ
	if err := cmd.Start(); err != nil {
		return fault.Operation(err, "open %s in a browser", address).WithHint("open it yourself, or name a browser in BROWSER")
	}
	go func() { _ = cmd.Wait() }() // the browser belongs to the user
	return nil
}
