package mcpkit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/mcpkit"
	"github.com/agit-suite/agit/shared/mcpkit/mcptest"
)

// A parameter may have other names, which are accepted but not advertised.
func TestOtherNames(t *testing.T) {
	type input struct {
		Agent string `json:"agent_id" also:"agent,who" is:"name"`
	}
	s := mcpkit.New(mcpkit.Info{Name: "test", Version: "1"}, mcpkit.Options{})
	mcpkit.AddTool(s, mcpkit.Tool{Name: "test_names", Description: "Takes a name."},
		func(_ context.Context, _ *mcpkit.Call, in input) (map[string]string, error) {
			if in.Agent == "nobody" {
				return nil, fmt.Errorf("look: %w", fault.Validation("who", "who is %q", in.Agent))
			}
			return map[string]string{"got": in.Agent}, nil
		})
	local := s.Local()
	defer local.Close()
	for _, tc := range []struct {
		args map[string]any
		want string // in the answer
		bad  bool
	}{
		{map[string]any{"agent_id": "ann"}, `"got":"ann"`, false},
		{map[string]any{"agent": "ann"}, `"got":"ann"`, false},
		{map[string]any{"who": "ann"}, `"got":"ann"`, false},
		{map[string]any{"who": "ann", "agent_id": "bob"}, `no parameter \"who\"`, true},
		{map[string]any{"who": "nobody"}, `"field":"agent_id"`, true},
		{map[string]any{"whom": "ann"}, `no parameter \"whom\"`, true},
		{map[string]any{}, `needs parameter \"agent_id\"`, true},
	} {
		r := mcptest.Call(t, local, "test_names", tc.args)
		if r.IsError != tc.bad || !strings.Contains(string(r.StructuredContent), tc.want) {
			t.Errorf("%v: error %t, %s", tc.args, r.IsError, r.StructuredContent)
		}
	}
}
