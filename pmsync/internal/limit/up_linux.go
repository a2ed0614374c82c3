package limit

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// Up returns a name of the machine's boot, and the time since it (proc(5)).
func Up() (boot string, since time.Duration) {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", 0
	}
	uptime, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return "", 0
	}
	seconds, _, _ := strings.Cut(string(uptime), " ")
	n, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return "", 0
	}
	return strings.TrimSpace(string(id)), time.Duration(n * float64(time.Second))
}
