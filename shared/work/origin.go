package work

import (
	"strings"

	"github.com/agit-suite/agit/shared/registry"
)

// originSentence explains why the item from which another was made keeps that one from being ready.
func originSentence(tx *registry.Tx, item Item) (refs []string, sentence string, err error) {
	origin, err := ByID(tx, item.OriginID)
	if err != nil {
		return nil, "", err
	}
	refs = []string{origin.Ref}
	sentence = "it was made from " + origin.Ref + ", which "
	deleted, err := registry.One[bool](tx.QueryRow(`SELECT deleted_at IS NOT NULL FROM items WHERE id = ?`, origin.ID))
	switch {
	case err != nil:
		return nil, "", err
	case deleted:
		return refs, sentence + "was deleted", nil
	case isFinished(origin):
		return refs, sentence + "is " + origin.Status, nil
	case isHeld(origin):
		why, err := originHeld(tx, origin)
		return refs, sentence + "waits" + why, err
	case origin.AssigneeID != 0:
		name, err := registry.One[string](tx.QueryRow(`SELECT name FROM agents WHERE id = ?`, origin.AssigneeID))
		return refs, sentence + "is assigned to " + name, err
	}
	return refs, sentence + "is assigned to " + origin.Person, nil
}

// originHeld names the blockers of an item, as the end of a sentence.
func originHeld(tx *registry.Tx, origin Item) (string, error) {
	waits, err := Blockers(tx, origin.ID)
	if err != nil {
		return "", err
	}
	var names []string
	for _, w := range waits {
		names = append(names, w.Ref)
	}
	if len(names) == 0 {
		return "", nil
	}
	return " for " + strings.Join(names, ", "), nil
}
