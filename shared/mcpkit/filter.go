package mcpkit

import (
	"maps"
	"slices"
	"strings"

	"github.com/agit-suite/agit/shared/fault"
)

// Select reduces the tool list to the named tools or sets (--tools a,b), and to tools that change nothing (--read-only). No names means
// all. It is called after the tools are registered.
func (s *Server) Select(names []string, readOnly bool) error {
	keep, err := s.named(names)
	if err != nil {
		return err
	}
	var drop []string
	for name, t := range s.tools {
		if keep != nil && !keep[name] || readOnly && !t.ReadOnly {
			drop = append(drop, name)
		}
	}
	if len(drop) == len(s.tools) {
		return fault.Validation("tools", "no tool is left: none of the chosen tools is read-only")
	}
	s.left = map[string]bool{}
	for _, name := range drop {
		delete(s.tools, name)
		s.left[name] = true
	}
	s.mcp.DeleteTools(drop...)
	return nil
}

func (s *Server) named(names []string) (map[string]bool, error) {
	known := append(slices.Sorted(maps.Keys(s.opts.Sets)), slices.Sorted(maps.Keys(s.tools))...)
	var keep map[string]bool
	for _, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if keep == nil {
			keep = map[string]bool{}
		}
		members, isSet := s.opts.Sets[name]
		if !isSet {
			members = []string{name}
		}
		for _, m := range members {
			if s.tools[m] == nil {
				return nil, nearest(fault.Validation("tools", "there is no tool %q", shorten(m)), m, known, "known are")
			}
			keep[m] = true
		}
	}
	return keep, nil
}

// leavesOut reports whether a text names a tool that Select removed.
func (s *Server) leavesOut(text string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }), func(word string) bool { return s.left[word] })
}

// ToolNames returns the names of the offered tools, sorted.
func (s *Server) ToolNames() []string { return slices.Sorted(maps.Keys(s.tools)) }
