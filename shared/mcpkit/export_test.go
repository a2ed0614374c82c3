package mcpkit

import "github.com/agit-suite/agit/shared/fault"

// Told returns an error as the server sends it.
func Told(s *Server, err error) *fault.Fault { return s.fault(err) }
