package postgres

// Remember has the process use names again, as one that has not met a pooler.
func Remember() { forgetful.Store(false) }
