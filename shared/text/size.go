package text

import "fmt"

// Size formats a number of bytes for people, with one decimal below 10: "900 bytes", "1.2 MB", "512 MB". Units are powers of 1024, as in
// the configuration.
func Size(bytes int64) string {
	const unit = 1024
	if bytes < unit {
		return Count(int(bytes), "byte", "bytes")
	}
	value, names := float64(bytes)/unit, []string{"KB", "MB", "GB"}
	for value >= unit-0.5 && len(names) > 1 {
		value, names = value/unit, names[1:]
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %s", value, names[0])
	}
	return fmt.Sprintf("%.0f %s", value, names[0])
}
