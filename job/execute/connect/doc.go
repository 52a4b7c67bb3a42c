// Package connect has statements carried out by a Spark Connect server (sc://…), which others use
// too.
//
// In come statements and settings; out comes what they print, as spark-sql prints it, so that
// engine sparksql goes by it as by its child. What always holds: each call is a session of its own,
// whose settings are seen by no other; statements run one after the other, and none after one that
// failed.
//
// It refuses URLs it cannot make a connection of, and secrets in them: a token comes from the
// environment, and with one the connection is by TLS.
//
// A client that leaves does not stop its statement: tried on Spark 4.0.2, OPTIMIZE goes on and may
// commit. The server ends a statement that nobody listens to after
// spark.connect.execute.manager.detachedTimeout (five minutes by default).
//
// Iceberg's stamps are kept for a whole process (EnvironmentContext), and would get into commits of
// other sessions: such tables are not rewritten by way of a server.
package connect
