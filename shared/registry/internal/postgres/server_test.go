package postgres

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestTLSIsVerifiedUnlessTheServerIsHere(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	t.Setenv("PGHOST", "")
	for place, want := range map[string]struct{ encrypted, verified bool }{
		"postgres://db.example.com/team":                   {true, true},
		"postgres://ann@10.0.0.5:6432/team":                {true, true},
		"postgres://db.example.com/team?sslmode=require":   {true, false},
		"postgres://db.example.com/team?sslmode=disable":   {false, false},
		"postgres://localhost/team?sslmode=disable":        {false, false},
		"postgres://127.0.0.1:54/team?sslmode=verify-full": {true, true},
		"postgres:///team?host=/run/postgresql":            {false, false},
		"postgres://localhost,db.example.com/team":         {true, true},
	} {
		s, err := Parse(place)
		if err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		if s.Encrypted() != want.encrypted || s.Verified() != want.verified {
			t.Errorf("%s: encrypted %t, verified %t", place, s.Encrypted(), s.Verified())
		}
	}
}

func TestNoPasswordIsShown(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t&x"
	for _, place := range []string{
		"postgres://ann:s3cr3t%26x@db.example.com/team?sslmode=require",
		"postgres://ann:s3cr3t%26x@db.example.com:port/team",
		"postgres://ann:s3cr3t%26x@db.example.com/team?sslmode=odd",
		"postgres://db.example.com/team?password=s3cr3t%26x&sslmode=odd",
	} {
		shown := Redacted(place)
		if s, err := Parse(place); err != nil {
			shown += err.Error()
		} else {
			shown += s.Name()
		}
		if strings.Contains(shown, secret) || strings.Contains(shown, "s3cr3t") {
			t.Errorf("%s shows %s", place, shown)
		}
	}
	if got := Redacted("postgres://ann:x@db:5433/team?search_path=y"); got != "postgres://ann@db:5433/team" {
		t.Error(got)
	}
}

// Of all the addresses that the driver tried, people read what the last one answered.
func TestBriefly(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	_, err = pgconn.Connect(t.Context(), "postgres://team@"+closed.Addr().String()+"/work?connect_timeout=5")
	if short := Briefly(err); !strings.HasPrefix(short.Error(), "dial tcp 127.0.0.1:") || strings.ContainsAny(short.Error(), "\n\t") || Judge(short) != Unreachable {
		t.Errorf("%v (%v)", short, Judge(short))
	}
	said := Briefly(fmt.Errorf("connect: %w", &pgconn.PgError{Severity: "FATAL", Message: "no such database", Code: "3D000"}))
	if said.Error() != "no such database" || Judge(said) != Refused {
		t.Errorf("%v (%v)", said, Judge(said))
	}
	if plain := Briefly(errors.New("a\nb")); plain.Error() != "b" {
		t.Errorf("%v", plain)
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	said := func(code string) error { return fmt.Errorf("step: %w", &pgconn.PgError{Code: code}) }
	for want, errs := range map[Failure][]error{
		Other:      {nil, errors.New("x"), said("42601"), said("")},
		Conflict:   {said("40001"), said("40P01")},
		Waiting:    {said("55P03")},
		Duplicate:  {said("23505")},
		Constraint: {said("23503"), said("23514")},
		Lost:       {said("57P01"), said("08006"), io.ErrUnexpectedEOF},
		Busy:       {said("57P03"), said("53300")},
		Missing:    {said("42P01"), said("3F000")},
		Denied:     {said("42501")},
		ReadOnly:   {said("25006")},
		Refused:    {said("28P01"), said("3D000")},
		Full:       {said("53100")},
	} {
		for _, err := range errs {
			if got := Judge(err); got != want {
				t.Errorf("%v: %d, not %d", err, got, want)
			}
		}
	}
}

func TestValuesAreThoseOfSQLite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw  string
		oid  uint32
		want any
	}{
		{"t", oidBool, int64(1)}, {"f", oidBool, int64(0)}, {"-5", oidInt4, int64(-5)}, {"9007199254740993", oidNumeric, int64(9007199254740993)},
		{"0.5", oidNumeric, 0.5}, {"1e-06", oidFloat8, 0.000001}, {`\x00ff`, oidBytes, []byte{0, 255}}, {"x", 25, "x"}, {Escape("\xff"), 25, "\xff"},
	} {
		got, err := value([]byte(c.raw), c.oid)
		if err != nil || fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", c.want, c.want) {
			t.Errorf("%s of %d: %T %v, %v", c.raw, c.oid, got, got, err)
		}
	}
	if v, err := value(nil, oidInt8); v != nil || err != nil {
		t.Error(v, err)
	}
}
