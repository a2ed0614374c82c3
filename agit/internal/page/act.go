package page

import (
	"context"

	"github.com/agit-suite/agit/shared/fault"
)

func (m *model) Act(_ context.Context, a Action) (any, error) {
	return nil, fault.Validation("do", "%q is not an action", a.Do)
}
