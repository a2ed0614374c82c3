package registry

import (
	"os"
	"strings"
	"sync"
	"unicode"

	"github.com/agit-suite/agit/shared/fault"
)

// HostVariable sets this machine's name in the registry where its own name is not stable: it changes from network to network, or a
// container gets another one at each start.
const HostVariable = "AGIT_HOST"

// maxHost is how long a host's name may be, in bytes: as long as DNS takes one.
const maxHost = 255

var systemHost = sync.OnceValue(func() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return strings.ToValidUTF8(name, "?")
})

// Host names this machine in rows about its folders, ports and processes: AGIT_HOST, else the system's name. Only that host can judge what
// its rows describe.
func Host() string {
	if name := os.Getenv(HostVariable); name != "" {
		return name
	}
	return systemHost()
}

func checkHost() error {
	name := os.Getenv(HostVariable)
	if len(name) <= maxHost && strings.ToValidUTF8(name, "") == name && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}) {
		return nil
	}
	return fault.Validation(HostVariable, "%s is %.60q, which cannot name a machine", HostVariable, name).
		WithHint("use letters, digits, dots and dashes, at most %d bytes, or unset it", maxHost)
}
