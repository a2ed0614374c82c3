package remove

import (
	"errors"
	"syscall"
)

// isCrossDevice: ERROR_NOT_SAME_DEVICE.
func isCrossDevice(err error) bool { return errors.Is(err, syscall.Errno(17)) }
