package task

// action is the change that a caller wants.
type action string

// The actions. While a claim stands, strangers are refused all of them but a claim.
const (
	toClaim    action = "claim"
	toStart    action = "start"
	toComplete action = "complete"
	toFail     action = "fail"
	toCancel   action = "cancel" // fail with the result canceled
	toRelease  action = "release"
	toHandOver action = "hand over"
	toBlock    action = "block or unblock"
	toEdit     action = "edit"
	toReopen   action = "reopen"
	toDelete   action = "delete"
)

// standing is the part of a task that a decision depends on.
type standing struct {
	status string // as stored
	claims int64  // how many claims it has had, which is the token of the last
}

// who is the caller's relation to the task, by the name in the call.
type who int

const (
	nobody   who = iota // no agent is named
	holder              // the agent that holds the task, or held it last
	stranger            // any other agent
)

// tokenIs is the validity of a call's claim token.
type tokenIs int

const (
	noToken      tokenIs = iota
	currentToken         // of the present claim, or of the last one
	staleToken           // of an earlier claim, or of no claim
)

// caller is the part of a caller that a decision depends on.
type caller struct {
	who     who
	token   tokenIs
	session bool // the claim was made in the caller's MCP session
	force   bool // a person insists
}

// verdict is the result of a decision.
type verdict int

const (
	refused verdict = iota
	allowed
	same // this caller has done it already: a success that changes nothing
)

// reason is why a decision was to refuse.
type reason int

const (
	_            reason = iota
	becauseStale        // the claim token is no longer valid
	becauseHeld         // another agent holds the task, or held it last
	becauseUnnamed
	becauseFree // no one holds the task
	becauseFinished
	becauseUnfinished
	becauseBegun
)

// decide is the one rule of who may change a task, for every command, tool and merge. docs/claims.md is written from it. It does not know
// whether a pending task is ready, or whether a bug or a person blocks it: a claim and a report check that in addition.
func decide(at standing, do action, by caller) (verdict, reason) {
	if by.token == staleToken {
		return refused, becauseStale // a lost claim changes nothing, whoever sends it
	}
	switch at.status {
	case Pending:
		return decideFree(at, do, by)
	case Claimed, InProgress:
		return decideHeld(at, do, by)
	}
	return decideFinished(at, do, by)
}

// mine reports whether a caller may act on the present claim, or the last one.
func mine(at standing, by caller) (bool, reason) {
	switch {
	case by.token == currentToken, by.force, by.session, by.who == holder, at.claims == 0:
		return true, 0
	case by.who == nobody && at.claims > 1:
		return false, becauseUnnamed
	}
	return by.who == nobody, becauseHeld
}

func decideFree(at standing, do action, by caller) (verdict, reason) {
	if do == toRelease {
		if ok, _ := mine(at, by); ok && at.claims > 0 && !by.force {
			return same, 0
		}
		return refused, becauseFree
	}
	if by.token == currentToken {
		return refused, becauseStale // its claim has ended
	}
	switch do {
	case toHandOver:
		return refused, becauseFree
	case toReopen:
		return refused, becauseUnfinished
	case toDelete:
		if at.claims > 0 {
			return refused, becauseBegun
		}
	case toClaim, toStart, toComplete, toFail:
		if by.who == nobody {
			return refused, becauseFree // a report on a pending task claims it, which needs a name
		}
	}
	return allowed, 0
}

func decideHeld(at standing, do action, by caller) (verdict, reason) {
	switch do {
	case toClaim:
		if by.who == holder {
			return same, 0
		}
		return refused, becauseHeld
	case toReopen:
		return refused, becauseUnfinished
	case toDelete:
		return refused, becauseBegun
	}
	ok, why := mine(at, by)
	switch {
	case !ok:
		return refused, why
	case do == toStart && at.status == InProgress && !by.handsOver():
		return same, 0
	}
	return allowed, 0
}

// handsOver reports whether a report credits the work to another agent of the MCP session in which it was claimed.
func (by caller) handsOver() bool {
	return by.session && by.who == stranger && by.token == noToken && !by.force
}

func decideFinished(at standing, do action, by caller) (verdict, reason) {
	ok, why := mine(at, by)
	switch {
	case do == toReopen && ok:
		return allowed, 0
	case do == toReopen:
		return refused, why
	case ok && (do == toComplete && at.status == Completed || (do == toFail || do == toCancel) && at.status == Failed):
		return same, 0
	}
	return refused, becauseFinished
}
