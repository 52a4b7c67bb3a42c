package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/apache/spark-connect-go/spark/client/channel"
	"github.com/apache/spark-connect-go/spark/sparkerrors"
	"github.com/apache/spark-connect-go/spark/sql"
	"google.golang.org/grpc"

	"ajlo/job/dialect"
	"ajlo/job/execute/sparksql"
)

// Name is the engine's name in config, plan and state.
const Name = "connect"

// Server is one that Spark Connect is spoken with.
type Server struct {
	// URL is sc://host:port, with parameters after /; as Spark's clients take them.
	URL string
	// Token goes with each request, by TLS; empty for none.
	Token string
	// Conf are settings of each session.
	Conf map[string]string
}

var _ sparksql.Spark = Server{}

// Name is the constant Name.
func (s Server) Name() string { return Name }

// Alone is false: a server has other sessions.
func (s Server) Alone() bool { return false }

// CheckURL says what is wrong with a server's URL.
func CheckURL(location string) error {
	u, err := url.Parse(location)
	if err != nil {
		return fmt.Errorf("%q: want sc://host:port", location)
	}
	for parameter := range strings.SplitSeq(u.Path, ";") {
		switch name, _, _ := strings.Cut(parameter, "="); name {
		case "token":
			return errors.New("the URL of a Spark Connect server has a token in it: put it into the environment and name its variable, engine: {token: env:NAME}")
		case "use_ssl":
			return errors.New("use_ssl stands in the URL of a Spark Connect server: its client speaks TLS with a token and never without one; take it out, and name a token, engine: {token: env:NAME}")
		}
	}
	if _, err := channel.NewBuilder(location); err != nil {
		return fmt.Errorf("%q: %w: want sc://host:port", location, err)
	}
	return nil
}

// Ready says what is wrong with the URL; whether a server is there is found out by asking it.
func (s Server) Ready() error { return CheckURL(s.URL) }

// closing keeps the connection of a session, which the client never closes.
type closing struct {
	channel.Builder
	conn *grpc.ClientConn
}

// Build connects.
func (c *closing) Build(ctx context.Context) (conn *grpc.ClientConn, err error) {
	c.conn, err = c.Builder.Build(ctx)
	return c.conn, err
}

// Run has statements carried out in a session of their own.
func (s Server) Run(ctx context.Context, statements string, conf map[string]string) (printed string, err error) {
	location := s.URL
	if s.Token != "" {
		location = strings.TrimSuffix(location, "/")
		if !strings.Contains(location, "/;") {
			location += "/"
		}
		location += ";token=" + s.Token
	}
	builder, err := channel.NewBuilder(location)
	if err != nil {
		return "", fmt.Errorf("connect to %s: %w", s.URL, err)
	}
	connection := &closing{Builder: builder}
	session, err := sql.NewSessionBuilder().WithChannelBuilder(connection).Build(ctx)
	if err != nil {
		return "", fmt.Errorf("connect to %s: %w", s.URL, err)
	}
	defer func() { err = errors.Join(err, connection.conn.Close()) }()
	if err := s.set(ctx, session, conf); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, statement := range dialect.Statements(statements) {
		if err := carryOut(ctx, &out, session, statement); err != nil {
			return "", s.judged(ctx, statement, err)
		}
	}
	return out.String(), nil
}

// set gives the session its settings.
func (s Server) set(ctx context.Context, session sql.SparkSession, conf map[string]string) error {
	all := maps.Clone(s.Conf)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, conf)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if err := session.Config().Set(ctx, key, all[key]); err != nil {
			return s.judged(ctx, "SET "+key, err)
		}
	}
	return nil
}

// judged makes the error of a statement one that says what it means for the statement.
func (s Server) judged(ctx context.Context, statement string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the Spark Connect server was left while it was at %q, which it may still carry out; "+
			"the next run finds that in the table's history: %w", statement, context.Cause(ctx))
	}
	said := err.Error()
	var spark *sparkerrors.SparkError
	if errors.As(err, &spark) {
		said = strings.TrimSpace(fmt.Sprintf("%s %s %s", spark.Reason, cmp.Or(spark.ErrorClass, spark.Code.String()), spark.Message))
	}
	return &sparksql.SaidError{Said: said, Text: fmt.Sprintf("Spark at %s, asked %q: %s", s.URL, statement, said)}
}
