package redact

import (
	"strings"
	"sync"
)

// A passphrase is some plain words without a digit or a mark, as in
// passphrase = correct-horse-battery-staple: only the name before it says that it is
// one. What people write about passwords has as many words; one small word, or one of
// the subject, is enough to leave a text alone.

// phrase finds a passphrase at a's value and returns where it ends.
func (a *assignment) phrase(s string, k key) (end int, ok bool) {
	if a.bare || k.word == "pass" {
		return 0, false
	}
	named, least := k.word == "passphrase", 4
	value, separator := s[a.from:a.to], "-"
	switch {
	case strings.Contains(value, "-"):
		if named {
			least = 3
		}
		end = a.to
	case a.to < len(s) && s[a.to] == ' ' && a.quoted:
		separator, end = " ", a.end(s)
		if end == a.to {
			return 0, false // the quotes do not end
		}
	case a.to < len(s) && s[a.to] == ' ' && named:
		line, _, _ := strings.Cut(s[a.from:min(len(s), a.from+longestQuoted)], "\n")
		separator, end = " ", a.from+len(strings.TrimRight(line, " .,;:!?)\r"))
	default:
		return 0, false
	}
	words := strings.Split(s[a.from:end], separator)
	if len(words) < least || len(words) > 10 {
		return 0, false
	}
	prose := ofProse()
	for _, word := range words {
		if len(word) < 3 || len(word) > 10 || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" || prose[word] {
			return 0, false
		}
	}
	return end, true
}

// ofProse are words that join others, and those that a text about passwords has. Only
// the first use makes them.
var ofProse = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		about after again all also always and any are ask asks back based because been before below between both but can cannot change changed check
		could did does doing done down during each either else empty even ever every fails few file files first for from gets give given gives goes had has have her here his
		how into its itself just keep keeps kept know last later least less let like long made make makes many may might more most much must need needed needs never new next not
		nothing now off old once one only onto open other our out over own per please put same see set sets shall she should show shown since some still such take taken than that
		the their them then there these they this those three through time times too two under unless until upon use used user users uses using via want was way were what when where
		whether which while who whose why will with within without would wrong yes yet you your zero
		access account accounts admin agent all algorithm allow allowed already app argument asked auth base bits browser button bytes cache chain char chars client cloud code column component
		config cookie create created database data default delete derived details dialog disabled docs email enabled encrypt encrypted encryption enter entered entry env
		error errors example expired expires expiry export exported field fields folder forgot forgotten form found generated generator group handler hash hashed hashing header help hidden hide host icon
		image input inside instead internal invalid item key keychain keyring keys label layer length level limit line link list local locale lock log login logout machine
		mail manager master matches max message method min minimum missing mode model name names null number object operator optional order owner page panel parameter
		pass password passwords path paths personal phrase place plain policy pool port print private process product production prod profile prompt prompted property protected protection protocol
		provided proxy public query random read reader record redacted remote removed repeat request required reset response role root rotate rotated rotation row rule rules run safe salt
		salted schema scope script secret secrets section secure security select self sent server service session sha shared size source stage staging staging state store stored
		strength string strong style submit sync system table template test text title toggle token type types update updated url valid validation validator value values vault
		variable version view visible weak web word words wrapper write written
	`) {
		words[word] = true
	}
	return words
})
