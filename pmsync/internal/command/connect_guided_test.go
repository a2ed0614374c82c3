package command

import (
	"testing"

	"github.com/agit-suite/agit/pmsync/internal/provider"
	"github.com/agit-suite/agit/pmsync/internal/sync"
)

// TestLikeliest: the project that is named as the folder comes first, then those of which
// the name holds it; the others stay in their order.
func TestLikeliest(t *testing.T) {
	all := []provider.Project{{ID: "1", Key: "OPS", Name: "Operations"}, {ID: "2", Key: "SHOP", Name: "Web shop"}, {ID: "3", Key: "S", Name: "Shop"}, {ID: "4", Key: "octo/shop", Name: "octo/shop"}}
	order := ""
	for _, p := range likeliest(all, "shop") {
		order += p.ID
	}
	if order != "2341" {
		t.Errorf("the order is %s", order)
	}
}

// TestChosen: a place in the list, a name, a key or an id.
func TestChosen(t *testing.T) {
	all := []provider.Project{{ID: "17", Key: "OPS", Name: "Operations"}, {ID: "2", Key: "SHOP", Name: "Web shop"}}
	for answer, want := range map[string]string{"1": "OPS", "2": "", "web SHOP": "SHOP", "shop": "SHOP", "17": "OPS", "3": "", "": "", "sho": ""} {
		if answer == "2" {
			want = "SHOP" // by its id, as only one is shown
		}
		if got := chosen(all, 1, answer, sync.Kind{}); got != want {
			t.Errorf("%q is %q, not %q", answer, got, want)
		}
	}
}
