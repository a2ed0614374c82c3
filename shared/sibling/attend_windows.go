package sibling

import (
	"os"
	"strings"
)

// passedOn is an interrupt, which the console sends to the program too.
var passedOn = []os.Signal{os.Interrupt}

func endedBy(*os.ProcessState) int { return 1 }

func userShell(env []string) string {
	for _, setting := range env {
		if name, shell, ok := strings.Cut(setting, "="); ok && strings.EqualFold(name, "COMSPEC") && shell != "" {
			return shell
		}
	}
	return "cmd.exe"
}
