package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agit-suite/agit/shared/fault"
	"github.com/agit-suite/agit/shared/registry"
	"github.com/agit-suite/agit/shared/timestamp"
)

func TestStoringTellsWhatItDid(t *testing.T) {
	w := newWorld(t)
	half := 0.5
	first := w.put(New{Key: "UTC", Type: TypeDecision, Content: " Dates are in UTC \n", Title: "Dates", Summary: "UTC", Importance: 3, Confidence: &half,
		Tags: []string{"Time", "time", "dates"}, Items: []string{"SEM-1", "sem-1"}, Citations: []Citation{{Path: "./a\\b.go", Line: 3, Snippet: "x\n"}}, Context: "review"})
	if first.Outcome != Created || first.Agent != "Ann" || first.Project != "p-one" || !strings.HasPrefix(first.ID, "m-") || first.Version != 1 {
		t.Errorf("created: %+v", first)
	}
	want := Memory{Type: TypeDecision, Key: "UTC", Title: "Dates", Content: "Dates are in UTC", Summary: "UTC", Context: "review", Importance: 3, Confidence: 0.5,
		Tags: []string{"dates", "time"}, Items: []string{"SEM-1"}, Citations: []Citation{{Path: "a/b.go", Line: 3, Snippet: "x"}}}
	got := Memory{Type: first.Type, Key: first.Key, Title: first.Title, Content: first.Content, Summary: first.Summary, Context: first.Context,
		Importance: first.Importance, Confidence: first.Confidence, Tags: first.Tags, Items: first.Items, Citations: first.Citations}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w.ago("UTC", time.Hour, 7)
	same := w.put(New{Key: "utc", Type: TypeDecision, Content: "Dates are in UTC", Importance: 3})
	if same.Outcome != Unchanged || same.ID != first.ID || same.AccessCount != 7 || same.Confidence != 0.5 || len(same.Tags) != 2 {
		t.Errorf("unchanged: %+v", same)
	}
	other := w.put(New{Key: "utc", Type: TypeDecision, Content: "Dates are in local time", Importance: 4})
	if other.Outcome != Updated || other.ID != first.ID || other.AccessCount != 0 || other.Version != 2 || other.Importance != 4 {
		t.Errorf("updated: %+v", other)
	}
	if next := w.put(New{Key: "utc", Type: TypeWarning, Content: "Dates in the import are local"}); next.Outcome != Created || next.ID == first.ID {
		t.Errorf("another type: %+v", next)
	}
	_, before, err := w.s.Get(t.Context(), Reader{Place: &w.at.Place}, first.ID, "", true)
	if err != nil || len(before) != 1 || before[0].Content != "Dates are in UTC" || before[0].Importance != 3 || before[0].ChangedBy != "Ann" {
		t.Errorf("history: %+v, %v", before, err)
	}
}

func TestStoringRefuses(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("x", MaxContent+1)
	huge := strings.Repeat("10 MB of memory ", 10<<20/16)
	minus := -0.1
	for field, list := range map[string][]New{
		"content":       {{Content: ""}, {Content: "\n \t"}, {Content: long}, {Content: "a\x00b"}, {Content: "\xff"}},
		"memory_type":   {{Content: "x", Type: "fact"}},
		"importance":    {{Content: "x", Importance: 6}, {Content: "x", Importance: -1}},
		"confidence":    {{Content: "x", Confidence: &minus}},
		"key":           {{Content: "x", Key: "a\nb"}, {Content: "x", Key: strings.Repeat("k", 201)}},
		"title":         {{Content: "x", Title: strings.Repeat("t", MaxTitle+1)}},
		"summary":       {{Content: "x", Summary: strings.Repeat("t", MaxSummary+1)}},
		"context":       {{Content: "x", Context: strings.Repeat("t", MaxContext+1)}},
		"tags":          {{Content: "x", Tags: []string{""}}, {Content: "x", Tags: make([]string, MaxTags+1)}},
		"related_items": {{Content: "x", Items: []string{"a\nb"}}},
		"citations": {{Content: "x", Citations: []Citation{{Path: "../secret"}}}, {Content: "x", Citations: []Citation{{Path: "/etc/passwd"}}}, {Content: "x", Citations: []Citation{{}}},
			{Content: "x", Citations: []Citation{{Path: "a", Line: -1}}}, {Content: "x", Citations: []Citation{{Path: "C:/a"}}}, {Content: "x", Citations: []Citation{{Path: "a", Commit: "HEAD"}}}},
		"supersedes": {{Content: "x", Supersedes: "nothing"}},
	} {
		for _, n := range list {
			kind := fault.KindValidation
			if field == "supersedes" {
				kind = fault.KindNotFound
			}
			w.refuses(kind, field, n)
		}
	}
	if f := w.refuses(fault.KindValidation, "content", New{Content: huge}); !strings.Contains(f.Message, "limit is 65536") || len(f.Message) > 200 {
		t.Errorf("10 MB: %s", f.Message)
	}
	err := w.s.DB.Read(t.Context(), func(tx *registry.Tx) error {
		n, err := registry.One[int](tx.QueryRow(`SELECT COUNT(*) FROM memories`))
		if n != 0 {
			t.Errorf("%d memories were stored", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOneBadMemoryOfManyStoresNone(t *testing.T) {
	w := newWorld(t)
	_, err := w.s.Remember(t.Context(), w.at, []New{{Type: TypePattern, Content: "good"}, {Type: TypePattern, Content: "bad", Importance: 9}})
	if f := fault.From(err); f == nil || !strings.HasPrefix(f.Message, "memory 2 of 2: ") {
		t.Errorf("got %v", err)
	}
}

func TestKeysAreMade(t *testing.T) {
	w := newWorld(t)
	one := w.put(New{Content: "The retries of the importer need jitter, always"})
	if one.Key != "retries-importer-need-jitter-always" {
		t.Errorf("key %q", one.Key)
	}
	if same := w.put(New{Content: "The retries of the importer need jitter, always"}); same.ID != one.ID || same.Outcome != Unchanged {
		t.Errorf("the same again: %+v", same)
	}
	if other := w.put(New{Content: "The retries of the importer need jitter, always.\nAnd a cap."}); other.Key != one.Key+"-2" {
		t.Errorf("another one with the same beginning: %q", other.Key)
	}
	for text, want := range map[string]string{"日本語のメモ": "日本語のメモ", "!!!": "note-", "the of": "note-", "Ünïcode Straße": "ünïcode-straße"} {
		if got := Slug(text); !strings.HasPrefix(got, want) {
			t.Errorf("Slug(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNearDuplicatesAreNamed(t *testing.T) {
	w := newWorld(t)
	w.put(New{Key: "pool", Content: "The connection pool of the API server holds twenty connections per process at most"})
	w.put(New{Key: "other", Content: "Release notes are written by the product owner before each release"})
	near := w.put(New{Key: "pool-again", Content: "The connection pool of the API server holds thirty connections per process at most"})
	if near.Outcome != Created || len(near.Similar) != 1 || near.Similar[0].Key != "pool" || near.Similar[0].Similarity < similarFrom {
		t.Errorf("near: %+v", near.Similar)
	}
	exact := w.put(New{Key: "pool-copy", Content: "the connection pool of the API   server holds twenty connections per process at MOST"})
	if len(exact.Similar) == 0 || exact.Similar[0].Key != "pool" || exact.Similar[0].Similarity != 1 {
		t.Errorf("exact: %+v", exact.Similar)
	}
	known := w.put(New{Content: "The connection pool of the API server holds twenty connections per process at most", SkipSimilar: true})
	if known.Outcome != Known || known.Key != "pool" && known.Key != "pool-copy" {
		t.Errorf("known: %+v", known)
	}
	if short := w.put(New{Content: "yes"}); len(short.Similar) != 0 {
		t.Errorf("short: %+v", short.Similar)
	}
}

// Memories whose similarities differ by only a thousandth are in the order of these too.
func TestNearlyEquallySimilar(t *testing.T) {
	w := newWorld(t)
	var text []string
	for i := range 79 {
		text = append(text, fmt.Sprintf("%c%cox", 'b'+i/20, 'b'+i%20))
	}
	w.put(New{Key: "less", Content: strings.Join(text[:74], " ")})
	w.put(New{Key: "more", Content: strings.Join(text[:76], " ") + " another memory"})
	got := w.put(New{Content: strings.Join(text, " ")}).Similar
	if len(got) != 2 || got[0].Key != "more" || got[0].Similarity != 0.938 || got[1].Similarity != 0.937 {
		t.Errorf("%+v", got)
	}
}

// A newer decision is stored and the similar one is named, however many words they share: one word or sign may reverse the meaning.
func TestNewerDecisionsAreStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for old, newer := range map[string]string{
		"We can use generics in the parser": "We can't use generics in the parser",
		"Set x = 5 in the config":           "Set x != 5 in the config",
		"使用Redis缓存会话":                       "不使用Redis缓存会话",
		"Deploy the billing service to staging with the blue green script and wait for the health checks before the switch":                 "Never deploy the billing service to staging with the blue green script and wait for the health checks before the switch",
		"The rate limit of the public search API for unauthenticated clients of the European region is 100 requests per minute and address": "The rate limit of the public search API for unauthenticated clients of the European region is 500 requests per minute and address",
	} {
		first := w.put(New{Content: old})
		second := w.put(New{Content: newer, SkipSimilar: true})
		if second.Outcome != Created || second.ID == first.ID {
			t.Errorf("%q: %s", newer, second.Outcome)
		}
		if len(second.Similar) > 0 && (second.Similar[0].ID != first.ID || second.Similar[0].Similarity >= 1) {
			t.Errorf("%q is near %+v", newer, second.Similar[0])
		}
		if again := w.put(New{Type: TypeWarning, Content: " " + strings.ToUpper(old) + "\n", SkipSimilar: true}); again.Outcome != Known {
			t.Errorf("%q again: %s", old, again.Outcome)
		}
	}
}

func TestSecretsAreTakenOut(t *testing.T) {
	w := newWorld(t)
	token := "ghp_" + strings.Repeat("aB3dE6", 6)
	m := w.put(New{Key: "ci", Content: "CI uses " + token, Title: "token " + token, Citations: []Citation{{Path: "ci.yml", Snippet: "t: " + token}}})
	if strings.Contains(fmt.Sprint(m), token) || len(m.Redacted) != 3 || m.Redactions != 3 {
		t.Errorf("stored: %+v", m)
	}
	if a := w.recall(Query{Text: token}); slices.ContainsFunc(a.Memories, func(h Hit) bool { return strings.Contains(h.Content, token) }) {
		t.Error("it can be recalled")
	}
	if m := w.put(New{Key: "ci", Content: "CI uses " + token, AllowSecrets: true}); !strings.Contains(m.Content, token) || m.Redacted != nil {
		t.Errorf("allowed: %+v", m)
	}
	text := "now " + token
	s, err := w.s.Update(t.Context(), w.target("ci"), Patch{Content: &text})
	if err != nil || strings.Contains(s.Content, token) || len(s.Redacted) != 1 {
		t.Errorf("updated: %+v, %v", s, err)
	}
}

func TestUpdate(t *testing.T) {
	w := newWorld(t)
	first := w.put(New{Key: "a", Type: TypeDecision, Content: "one", Tags: []string{"x"}})
	w.put(New{Key: "a", Type: TypeWarning, Content: "other"})
	two, low, why := "two", 0.3, "measured"
	if _, err := w.s.Update(t.Context(), w.target("a"), Patch{Content: &two}); !fault.Is(err, fault.KindValidation) || !strings.Contains(err.Error(), "decision") || !strings.Contains(err.Error(), "warning") {
		t.Errorf("two of one key: %v", err)
	}
	target := w.target("A")
	target.Type = "Decision"
	got, err := w.s.Update(t.Context(), target, Patch{Content: &two, Confidence: &low, Why: why, Tags: &[]string{}})
	if err != nil || got.Outcome != Updated || got.Content != two || got.Confidence != low || got.Version != 2 || len(got.Tags) != 0 || got.ID != first.ID {
		t.Errorf("updated: %+v, %v", got, err)
	}
	if again, err := w.s.Update(t.Context(), target, Patch{Content: &two, Confidence: &low}); err != nil || again.Outcome != Unchanged || again.Version != 2 {
		t.Errorf("again: %+v, %v", again, err)
	}
	_, before, err := w.s.Get(t.Context(), Reader{Place: &w.at.Place}, first.ID, "", true)
	if err != nil || len(before) != 1 || before[0].Why != why || before[0].Content != "one" || before[0].Confidence != 1 {
		t.Errorf("history: %+v, %v", before, err)
	}
	if w.first("one") == "a" {
		t.Error("what it said before is recalled")
	}
	past := time.Now().Add(-time.Hour)
	if _, err := w.s.Update(t.Context(), target, Patch{ExpiresAt: &timestamp.Time{Time: past}}); err != nil {
		t.Fatal(err)
	}
	if a := w.recall(Query{Type: TypeDecision}); len(a.Memories) != 0 {
		t.Errorf("expired: %v", keys(a))
	}
	if got, err := w.s.Update(t.Context(), target, Patch{ExpiresAt: &timestamp.Time{}}); err != nil || got.ExpiresAt != nil {
		t.Errorf("never: %+v, %v", got, err)
	}
	for field, p := range map[string]Patch{"content": {}, "importance": {Importance: new(int)}} {
		if _, err := w.s.Update(t.Context(), target, p); !fault.Is(err, fault.KindValidation) || fault.From(err).Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := w.s.Update(t.Context(), w.target("aa"), Patch{Content: &two}); !fault.Is(err, fault.KindNotFound) {
		t.Errorf("missing: %v", err)
	}
}

func TestForgetRestorePurge(t *testing.T) {
	w := newWorld(t)
	m := w.put(New{Key: "plan", Content: "Ship on Friday"})
	done, err := w.s.Forget(t.Context(), w.target("plan"), "it was moved", false)
	if err != nil || !done.Forgotten || done.Purged || done.ArchivedWhy != "it was moved" {
		t.Fatalf("forgotten: %+v, %v", done, err)
	}
	if a := w.recall(Query{Text: "when do we ship?"}); len(a.Memories) != 0 || a.Hidden != 1 || !a.Weak {
		t.Errorf("recall: %+v", a)
	}
	if _, err := w.s.Forget(t.Context(), w.target("plan"), "", false); !fault.Is(err, fault.KindNotFound) || !strings.Contains(err.Error(), "restore "+m.ID) {
		t.Errorf("twice: %v", err)
	}
	if _, err := w.s.Restore(t.Context(), w.target(m.ID)); err != nil {
		t.Fatal(err)
	}
	if w.first("when do we ship?") != "plan" {
		t.Error("it is not back")
	}
	if _, err := w.s.Restore(t.Context(), w.target("plan")); !fault.Is(err, fault.KindConflict) {
		t.Errorf("restoring what stands: %v", err)
	}
	if _, err := w.s.Forget(t.Context(), w.target("plan"), "", false); err != nil {
		t.Fatal(err)
	}
	w.put(New{Key: "plan", Content: "Ship on Monday"})
	if _, err := w.s.Restore(t.Context(), w.target(m.ID)); !fault.Is(err, fault.KindConflict) {
		t.Errorf("its key is taken: %v", err)
	}
	if _, err := w.s.Forget(t.Context(), w.target(m.ID), "", true); err != nil {
		t.Errorf("purging an archived one: %v", err)
	}
	if _, err := w.s.Forget(t.Context(), w.target("plan"), "", true); err != nil {
		t.Error(err)
	}
	s, err := w.s.Stats(t.Context(), w.id)
	if err != nil || s.Memories.Total+s.Memories.Archived != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// An expired memory is listed and restored before a decay archives it.
func TestRestoreExpired(t *testing.T) {
	w := newWorld(t)
	past := timestamp.Time{Time: time.Now().Add(-time.Hour)}
	future := timestamp.Time{Time: time.Now().Add(time.Hour)}
	w.put(New{Key: "token", Content: "The token is in the vault", ExpiresAt: &past})
	w.put(New{Key: "freeze", Content: "Nothing is merged until Monday", ExpiresAt: &future})
	hidden, err := w.s.Archived(t.Context(), w.id, "")
	if err != nil || len(hidden) != 1 || hidden[0].Key != "token" || hidden[0].Reason != "expired" || hidden[0].At.Sub(past.Time).Abs() > time.Second {
		t.Errorf("listed: %+v, %v", hidden, err)
	}
	if m, err := w.s.Restore(t.Context(), w.target("token")); err != nil || m.ExpiresAt != nil {
		t.Errorf("restored: %+v, %v", m, err)
	}
	if w.first("where is the token?") != "token" {
		t.Error("it is not back")
	}
	if _, err := w.s.Restore(t.Context(), w.target("freeze")); !fault.Is(err, fault.KindConflict) {
		t.Errorf("restoring what has not expired: %v", err)
	}
}

// A memory that is stored again holds again, and an expired one of the same text does not keep a new one out.
func TestStoreExpiredAgain(t *testing.T) {
	w := newWorld(t)
	past := timestamp.Time{Time: time.Now().Add(-time.Hour)}
	expired := w.put(New{Key: "token", Content: "The token is in the vault", ExpiresAt: &past})
	if m := w.put(New{Type: TypeDecision, Content: "The token is in the vault", SkipSimilar: true}); m.Outcome != Created || len(m.Similar) > 0 {
		t.Errorf("beside an expired one: %+v", m)
	}
	if m := w.put(New{Key: "token", Content: "The token is in the vault"}); m.Outcome != Updated || m.ID != expired.ID || m.ExpiresAt != nil {
		t.Errorf("stored again: %+v", m)
	}
	if m := w.put(New{Key: "token", Content: "The token is in the vault", ExpiresAt: &past}); m.ExpiresAt == nil {
		t.Errorf("stored again until an hour ago: %+v", m)
	}
}

// Hidden memories are listed by the time since when they are.
func TestArchivedInOrder(t *testing.T) {
	w := newWorld(t)
	hour := func(n int) *timestamp.Time {
		return &timestamp.Time{Time: time.Now().Add(time.Duration(n) * time.Hour)}
	}
	w.put(New{Key: "late", Content: "Expired an hour ago", ExpiresAt: hour(-1)})
	w.put(New{Key: "early", Content: "It was over three hours ago", ExpiresAt: hour(-3)})
	w.put(New{Key: "between", Content: "Forgotten two hours ago"})
	if _, err := w.s.Forget(t.Context(), w.target("between"), "", false); err != nil {
		t.Fatal(err)
	}
	w.write(func(tx *registry.Tx) error {
		return tx.Do(`UPDATE memories SET archived_at = ? WHERE key = 'between'`, registry.FormatTime(hour(-2).Time))
	})
	hidden, err := w.s.Archived(t.Context(), w.id, "")
	var keys []string
	for _, h := range hidden {
		keys = append(keys, h.Key)
	}
	if err != nil || !slices.Equal(keys, []string{"late", "between", "early"}) {
		t.Errorf("%v, %v", keys, err)
	}
}

func TestSupersede(t *testing.T) {
	w := newWorld(t)
	old := w.put(New{Key: "deploy", Content: "Deploys go out by hand"})
	next := w.put(New{Key: "deploy-ci", Content: "Deploys go out from CI", Supersedes: "deploy"})
	if found := keys(w.recall(Query{Text: "how do deploys go out?"})); !slices.Equal(found, []string{"deploy-ci"}) {
		t.Errorf("recall: %v", found)
	}
	if got := w.look(old.ID); got.Superseded != next.ID {
		t.Errorf("the old one: %+v", got)
	}
	if _, err := w.s.Restore(t.Context(), w.target("deploy")); err != nil {
		t.Error(err)
	}
	if found := keys(w.recall(Query{Text: "how do deploys go out?"})); len(found) != 2 {
		t.Errorf("after restoring: %v", found)
	}
	w.refuses(fault.KindValidation, "supersedes", New{Key: "deploy", Content: "x y z", Supersedes: "deploy"})
	if again := w.put(New{Key: "deploy-ci", Content: "Deploys go out from CI", Supersedes: "deploy"}); again.Outcome != Unchanged || w.look(old.ID).Superseded != next.ID {
		t.Errorf("again: %+v", again)
	}
}

func TestTypesAreLimited(t *testing.T) {
	w := newWorld(t)
	w.s.MaxPerType = 2
	w.put(New{Key: "a", Content: "first", Importance: 4})
	w.put(New{Key: "b", Content: "second", Importance: 1})
	w.ago("a", 48*time.Hour, 1)
	w.ago("b", 48*time.Hour, 1)
	w.put(New{Key: "w", Type: TypeWarning, Content: "another type has room"})
	third := w.put(New{Key: "c", Content: "third", Importance: 5})
	if len(third.Displaced) != 1 || third.Displaced[0].Key != "b" {
		t.Errorf("displaced: %+v", third.Displaced)
	}
	if again := w.put(New{Key: "a", Content: "changed", Importance: 5}); len(again.Displaced) != 0 {
		t.Errorf("an update needs no room: %+v", again.Displaced)
	}
	w.refuses(fault.KindConflict, "", New{Key: "d", Content: "fourth"})
	if hidden, err := w.s.Archived(t.Context(), w.id, ""); err != nil || len(hidden) != 1 || hidden[0].Key != "b" || hidden[0].Reason != whyFull {
		t.Errorf("archived: %+v, %v", hidden, err)
	}
}

// A full registry refuses the next memory and keeps every stored one; existing memories are still found.
func TestAFullRegistryLosesNothing(t *testing.T) {
	db, err := registry.Open(t.Context(), registry.Options{Path: t.TempDir() + "/agit.db", MaxSize: registry.MinMaxSize})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	w := &world{T: t, s: &Store{DB: db}, at: in("one")}
	c := newCorpus()
	stored := 0
	for {
		list := []New{{Type: TypePattern, Key: fmt.Sprint(stored), Content: c.text(200)}}
		done, err := w.s.Remember(t.Context(), w.at, list)
		if err != nil {
			if !fault.Is(err, fault.KindDatabase) || !strings.Contains(err.Error(), "full") {
				t.Fatal(err)
			}
			break
		}
		w.id = done[0].ProjectID
		stored++
	}
	if stored < 10 {
		t.Fatalf("only %d fit", stored)
	}
	s, err := w.s.Stats(t.Context(), w.id)
	if err != nil || s.Memories.Total != stored {
		t.Errorf("%d of %d are there, %v", s.Memories.Total, stored, err)
	}
	last := w.look(fmt.Sprint(stored - 1))
	if got := w.first(last.Content[:100]); got != last.Key {
		t.Errorf("the last one is not found but %q", got)
	}
	if r, err := db.Check(t.Context()); err != nil || len(r.Problems) != 0 {
		t.Errorf("check: %+v, %v", r, err)
	}
}
