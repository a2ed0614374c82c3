package loopback

import "golang.org/x/sys/windows"

var errPortTaken error = windows.WSAEADDRINUSE
