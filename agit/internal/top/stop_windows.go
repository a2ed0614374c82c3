package top

import "os"

// stopSignals never tells: a console has no jobs that stop.
func stopSignals() chan os.Signal { return nil }

func stopSelf(chan os.Signal) {}
