package postgres

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// connecting bounds how long a server may take to answer the first time.
	connecting = 5 * time.Second
	// closing bounds the farewell, which no one waits for.
	closing = time.Second
)

// Server is a database on a server: the connector of a pool.
type Server struct {
	config *pgconn.Config
	name   string
	schema string // of the tables; empty for the role's own
}

// Parse reads the URL of a database. TLS is verified unless the server is on this machine
// or the URL asks for less (sslmode); a password comes from the URL, PGPASSWORD or the
// password file. search_path names the schema of the tables.
func Parse(place string) (*Server, error) {
	u, err := url.Parse(place)
	if err != nil {
		return nil, errors.New("it is not a URL") // the error of net/url shows the password
	}
	query := u.Query()
	if !query.Has("sslmode") && !isLocal(u, query) {
		query.Set("sslmode", "verify-full")
	}
	if !query.Has("connect_timeout") {
		query.Set("connect_timeout", "5")
	}
	if !query.Has("application_name") {
		query.Set("application_name", "agit")
	}
	s := &Server{name: Redacted(place), schema: query.Get("search_path")}
	query.Del("search_path")
	u.RawQuery = query.Encode()
	if s.config, err = pgconn.ParseConfig(u.String()); err != nil {
		return nil, errors.New(withoutPassword(u, err.Error()))
	}
	return s, nil
}

// withoutPassword removes the password of a URL from an error's text.
func withoutPassword(u *url.URL, text string) string {
	if password, ok := u.User.Password(); ok && password != "" {
		text = strings.ReplaceAll(text, password, "…")
		text = strings.ReplaceAll(text, url.QueryEscape(password), "…")
	}
	return text
}

// Redacted is the URL of a database without its password and without its settings.
func Redacted(place string) string {
	u, err := url.Parse(place)
	if err != nil {
		return "postgres://…"
	}
	shown := url.URL{Scheme: "postgres", Host: u.Host, Path: u.Path}
	if u.User != nil {
		shown.User = url.User(u.User.Username())
	}
	if host := u.Query().Get("host"); host != "" && u.Host == "" {
		shown.RawQuery = "host=" + host
	}
	return shown.String()
}

// isLocal reports whether a URL leads to this machine, where no one can eavesdrop.
func isLocal(u *url.URL, query url.Values) bool {
	hosts := strings.Split(query.Get("host"), ",")
	if u.Host != "" {
		hosts = nil
		for _, one := range strings.Split(u.Host, ",") {
			host, _, err := net.SplitHostPort(one)
			if err != nil {
				host = strings.Trim(one, "[]")
			}
			hosts = append(hosts, host)
		}
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); host != "" && host != "localhost" && !strings.HasPrefix(host, "/") && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}

// Name is the URL without its password.
func (s *Server) Name() string { return s.name }

// Schema is the schema of the tables that the URL names; empty for the role's own.
func (s *Server) Schema() string { return s.schema }

// Encrypted reports whether connections go by TLS.
func (s *Server) Encrypted() bool { return s.config.TLSConfig != nil }

// Verified reports whether the server's certificate is checked.
func (s *Server) Verified() bool {
	var t *tls.Config = s.config.TLSConfig
	return t != nil && (!t.InsecureSkipVerify || t.VerifyPeerCertificate != nil || t.VerifyConnection != nil)
}

// Dial opens a connection.
func (s *Server) Dial(ctx context.Context) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*connecting)
	defer cancel()
	pg, err := pgconn.ConnectConfig(ctx, s.config)
	if err != nil {
		return nil, err
	}
	return &Conn{pg: pg}, nil
}

// Connect implements driver.Connector.
func (s *Server) Connect(ctx context.Context) (driver.Conn, error) { return s.Dial(ctx) }

// Driver implements driver.Connector.
func (s *Server) Driver() driver.Driver { return noDriver{} }

// noDriver satisfies database/sql, which never calls the driver of a connector.
type noDriver struct{}

func (noDriver) Open(string) (driver.Conn, error) { return nil, errors.ErrUnsupported }
