package fault_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/agit-suite/agit/shared/fault"
)

func TestExitCodes(t *testing.T) {
	for kind, code := range map[fault.Kind]int{
		fault.KindValidation: 2, fault.KindNotFound: 3, fault.KindConflict: 4, fault.KindProvider: 5,
		fault.KindDatabase: 1, fault.KindOperation: 1,
	} {
		if got := kind.ExitCode(); got != code {
			t.Errorf("%s exits with %d, want %d", kind, got, code)
		}
	}
}

func TestErrorIsOneSentence(t *testing.T) {
	f := fault.Operation(errors.New("disk full"), "write %q", "a&b <c>").WithHint("free some space")
	if got, want := f.Error(), `write "a&b <c>": disk full; free some space`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	encoded, err := json.Marshal(map[string]any{"x": f})
	if err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		X struct{ Error, Message, Field string }
	}
	if err := json.Unmarshal(encoded, &decoded); err != nil || decoded.X.Error != "OperationError" || decoded.X.Message != f.Error() {
		t.Errorf("%s: %+v, %v", encoded, decoded, err)
	}
}

func TestFrom(t *testing.T) {
	missing := fault.NotFound("repo", "app").WithHint("add it")
	for name, c := range map[string]struct {
		err     error
		kind    fault.Kind
		message string
	}{
		"itself":  {missing, fault.KindNotFound, `repo "app" does not exist; add it`},
		"wrapped": {fmt.Errorf("task 2 of 3: %w", missing), fault.KindNotFound, `task 2 of 3: repo "app" does not exist; add it`},
		"plain":   {errors.New("boom"), fault.KindOperation, "boom"},
		"cancel":  {fmt.Errorf("read: %w", context.Canceled), fault.KindOperation, "interrupted before it was done"},
	} {
		f := fault.From(c.err)
		if f.Kind != c.kind || f.Error() != c.message {
			t.Errorf("%s: %s %q, want %s %q", name, f.Kind, f.Error(), c.kind, c.message)
		}
	}
	if fault.From(nil) != nil {
		t.Error("no error became a fault")
	}
	if !fault.Is(fmt.Errorf("x: %w", missing), fault.KindNotFound) || fault.Is(missing, fault.KindConflict) {
		t.Error("Is is wrong about a wrapped fault")
	}
}
