package mcpkit

import "github.com/agit-suite/agit/shared/fault"

// Told is an error as the server tells it.
func Told(s *Server, err error) *fault.Fault { return s.fault(err) }
